import { labelOf } from './config-label.ts';
import { type DiffLine, parseDiff } from './parse-diff.ts';
import { fillIn, realValuesOf } from './real-values.ts';
import type { AgentConfigDiff } from './schemas/agent.ts';
import type { AgentErrorGroup, AgentErrorGroupOrigin } from './schemas/agent-error-group.ts';

/** What changed before a cause began. */
export interface Change {
  /** What people call the new configuration. */
  readonly name: string;
  readonly agentID: string;
  readonly agentName: string;
  readonly configID: string;
  readonly configuredAt: string;
  readonly lines: readonly DiffLine[];
}

/** A configuration that an agent had for longer did not cause anything. */
const maxMilliseconds = 24 * 3_600_000;

/**
 * What changed before a cause began, or came back with something else. Undefined: the configuration is not known, was the first of its agent, or was
 * there for long before.
 */
export function changeOf(
  cause: Pick<AgentErrorGroup, 'firstSeenAt' | 'regressedAt'>,
  { first }: AgentErrorGroupOrigin,
  diff: AgentConfigDiff | undefined,
): Change | undefined {
  if (first === null || diff === undefined || diff.from === null || diff.diff === '') return undefined;
  const configuredAt = Date.parse(first.configuredAt);
  const firstSeenAt = Date.parse(cause.firstSeenAt);
  const beganAt =
    cause.regressedAt === null || configuredAt <= firstSeenAt ? firstSeenAt : Date.parse(cause.regressedAt);
  if (beganAt - configuredAt > maxMilliseconds) return undefined;
  const lines = parseDiff(diff.diff);
  return { ...first, lines, name: configName(first.configID, lines) };
}

/** False: no agent that has the cause has the configuration of the first one; or it came back, and most of them do not have that of the first one since then. */
export function isOfFirstConfig(
  { agentsCount, regressedAt }: Pick<AgentErrorGroup, 'agentsCount' | 'regressedAt'>,
  { affectedCount, affectedConfiguredCount }: AgentErrorGroupOrigin,
): boolean {
  if (regressedAt === null) return agentsCount > 0 && affectedConfiguredCount > 0;
  return affectedConfiguredCount * 2 > affectedCount;
}

/** What people call a configuration, from its difference to the one before. */
export function configName(configID: string, lines: readonly DiffLine[]): string {
  return labelOf(lines) ?? `configuration ${configID.slice(-8)}`;
}

/** How to ask whether anything answers at the address that an error names. */
export interface PortQuestion {
  readonly port: string;
  readonly command: string;
  /** What stood in its place before. Undefined: nothing, or that is not known. */
  readonly before: { readonly port: string; readonly command: string } | undefined;
}

/** Undefined: the error names no host with a port. */
export function portQuestionOf(
  error: string,
  change: Pick<Change, 'lines'> | undefined,
): PortQuestion | undefined {
  const values = realValuesOf(error);
  const { host, port } = values;
  if (host === undefined || port === undefined) return undefined;
  const ask = (asked: string) => fillIn('nc -vz HOST PORT', { ...values, port: asked });
  const old = change && valueBefore(change.lines, port);
  return {
    port,
    command: ask(port),
    before: old === undefined ? undefined : { port: old, command: ask(old) },
  };
}

/** What stood in the place of a value before, such as the port that an error names. */
export function valueBefore(lines: readonly DiffLine[], value: string): string | undefined {
  const word = new RegExp(`(?<![\\w.])${escapeForPattern(value)}(?![\\w.])`);
  for (const [place, { kind, text }] of lines.entries()) {
    if (kind !== 'added' || !word.test(text)) continue;
    const removed = lines.slice(0, place).findLast((line) => line.kind !== 'added');
    if (removed?.kind !== 'removed') continue;
    const [before = '', after = ''] = text.split(word);
    if (!removed.text.startsWith(before) || !removed.text.endsWith(after)) continue;
    const old = removed.text.slice(before.length, removed.text.length - after.length);
    if (/^[\w.:-]+$/.test(old) && old !== value) return old;
  }
  return undefined;
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
