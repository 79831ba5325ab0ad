import { STATUS_CODES } from 'node:http';
import type { Access } from './access.ts';
import { maxConnections } from './client.ts';
import { countOf, formatCount } from './display.ts';
import type { Statistics } from './statistics.ts';
import type { Survey } from './survey.ts';

interface SummaryOptions {
  readonly url: URL;
  readonly access: Access;
  readonly statistics: Statistics;
  readonly survey: Survey;
  readonly agents: number;
  readonly fixed: number;
}

/** The results, as lines for people. */
export function summarize(options: SummaryOptions): string[] {
  return [...figures(options), '', ...nextSteps(options)];
}

function figures({ statistics, survey, agents, fixed }: SummaryOptions): string[] {
  const { sent, stored, ignored, unanswered, refusedInAll, latencies, seconds } = statistics;
  const perSecond =
    seconds > 0 ? ` in ${seconds.toFixed(1)} s, ${formatCount(Math.round(sent / seconds))} a second` : '';
  return [
    `Agents       ${formatCount(agents)} registered, ${formatCount(fixed)} fixed by a new configuration`,
    `Reports      ${formatCount(sent)} sent${perSecond}`,
    `  stored     ${formatCount(stored)} new errors`,
    `  ignored    ${formatCount(ignored)} repeats of an open error: counted, not stored again`,
    `  refused    ${formatCount(refusedInAll)}${refusedInAll === 0 ? '' : `: ${describeRefusals(statistics)}`}`,
    ...(unanswered === 0 ? [] : [`  no answer  ${formatCount(unanswered)}`]),
    `Latency      p50 ${milliseconds(latencies.percentile(0.5))}, p99 ${milliseconds(latencies.percentile(0.99))}, with up to ${maxConnections} reports at once`,
    `Open now     ${describeOpen(survey)}`,
    ...(fixed === 0
      ? []
      : ['             (errors of a fixed agent stay open until somebody dismisses them)']),
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

function describeOpen(survey: Survey): string {
  if (!survey.isRead) return `unknown: ${survey.reason}`;
  const { openErrors, unhealthyAgents } = survey;
  return `${countOf(openErrors, 'error')}; ${countOf(unhealthyAgents, 'agent')} unhealthy, says the server's list`;
}

interface Step {
  readonly title: string;
  readonly path: string;
  /** Arguments before the address. */
  readonly arguments?: string;
}

/** Commands to paste into a shell. */
function nextSteps({ url, access, survey }: SummaryOptions): string[] {
  const address = url.href.replace(/\/$/, '');
  const steps = stepsFor(access, survey);
  if (steps.length === 0) return [];
  return [
    'Look at it:',
    ...(access.shellPreparation === undefined ? [] : ['', `  ${access.shellPreparation}`]),
    ...steps.flatMap(({ title, path, arguments: before = '' }) => [
      '',
      `  # ${title}`,
      `  curl -sS ${before}${access.shellHeader} '${address}${path}'`,
    ]),
  ];
}

function stepsFor(access: Access, survey: Survey): Step[] {
  const project = `/v1/projects/${access.projectID}`;
  return [
    ...(survey.isRead ? readingSteps(project, survey) : []),
    ...(access.projectName === undefined
      ? []
      : [
          {
            title: `Remove the project '${access.projectName}' with all of this`,
            path: project,
            arguments: '-X DELETE ',
          },
        ]),
  ];
}

function readingSteps(project: string, { openErrorID, agentID }: Extract<Survey, { isRead: true }>): Step[] {
  const steps = [
    { title: 'The newest open errors', path: `${project}/agent_errors?dismissed=false&last=5` },
    {
      title: 'Agents that still run a broken configuration',
      path: `${project}/agents?status=unhealthy&last=5`,
    },
  ];
  if (agentID !== undefined) {
    steps.push(
      { title: 'One of them with its configuration', path: `/v1/agents/${agentID}` },
      { title: 'Its errors, with how often each was repeated', path: `/v1/agents/${agentID}/errors` },
    );
  }
  if (openErrorID === undefined) return steps;
  return [
    ...steps,
    {
      title: 'Dismiss an error: the next report of it is stored again',
      path: `/v1/agent_errors/${openErrorID}/dismiss`,
      arguments: `-H 'Content-Type: application/json' -d '{"reason":"seen in the demo"}' `,
    },
  ];
}
