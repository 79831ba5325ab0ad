import { STATUS_CODES } from 'node:http';
import type { Access } from './access.ts';
import { maxConnections } from './agent-client.ts';
import { formatCount } from './display.ts';
import type { Statistics } from './statistics.ts';

interface SummaryOptions {
  readonly access: Access;
  readonly statistics: Statistics;
  readonly agents: number;
}

/** The results, as lines for people. */
export function summarize({ access, statistics, agents }: SummaryOptions): string[] {
  const { sent, stored, ignored, unanswered, refusedInAll, latencies, seconds, heartbeats } = statistics;
  return [
    `Agents       ${formatCount(agents)} registered, ${formatCount(heartbeats)} heartbeats in ${seconds.toFixed(1)} s`,
    `Reports      ${formatCount(sent)} sent`,
    `  stored     ${formatCount(stored)} new errors`,
    `  ignored    ${formatCount(ignored)} repeats of an open error: counted, not stored again`,
    `  refused    ${formatCount(refusedInAll)}${refusedInAll === 0 ? '' : `: ${describeRefusals(statistics)}`}`,
    ...(unanswered === 0 ? [] : [`  no answer  ${formatCount(unanswered)}`]),
    `Latency      p50 ${milliseconds(latencies.percentile(0.5))}, p99 ${milliseconds(latencies.percentile(0.99))}, with up to ${maxConnections} reports at once`,
    '',
    ...nextSteps(access),
  ];
}

function describeRefusals({ refused }: Statistics): string {
  return [...refused]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${formatCount(count)} with ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd())
    .join(', ');
}

function milliseconds(value: number | undefined): string {
  return value === undefined ? 'unknown' : `${value.toFixed(1)} ms`;
}

function nextSteps({ command, projectName }: Access): string[] {
  const kept = 'The agents have ended, and are shown as they were then.';
  if (projectName === undefined) return [kept];
  return [`${kept} To remove them all:`, '', `     ${command} project delete ${projectName}`];
}
