import type { AgentErrorGroup } from '@muster/client';

/** Causes on fewer agents are no story of the whole project. */
const minShare = 0.01;
const minAgents = 2;
const dayMilliseconds = 24 * 3_600_000;

type Candidate = Pick<
  AgentErrorGroup,
  'agentsCount' | 'agentsShare' | 'isNew' | 'regressedAt' | 'mutedUntil'
>;

export interface Picked<Cause> {
  /** What the overview opens with. Undefined: nothing is new that many agents have. */
  readonly story: Cause | undefined;
  /** Others to look at: widespread, new, or back. */
  readonly listed: readonly Cause[];
  readonly rest: readonly Cause[];
}

/**
 * The most widespread cause that is new or came back within a day, and what else needs attention. Nobody wants to be told of muted ones.
 *
 * @param causes the one on the most agents first
 */
export function pickStory<Cause extends Candidate>(causes: readonly Cause[], now: number): Picked<Cause> {
  const open = causes.filter(({ mutedUntil, agentsCount }) => mutedUntil === null && agentsCount > 0);
  const isRecent = ({ isNew, regressedAt }: Cause) =>
    regressedAt === null ? isNew : now - Date.parse(regressedAt) < dayMilliseconds;
  const isWidespread = ({ agentsShare, agentsCount }: Cause) =>
    agentsShare >= minShare && agentsCount >= minAgents;
  const story = open.find((cause) => isRecent(cause) && isWidespread(cause));
  const others = open.filter((cause) => cause !== story);
  const needsAttention = (cause: Cause) => isRecent(cause) || isWidespread(cause);
  return {
    story,
    listed: others.filter(needsAttention),
    rest: others.filter((cause) => !needsAttention(cause)),
  };
}

/** Causes on the most agents that are read. */
export const maxWidest = 50;

/** How many open causes were not read. @param openCount of which the service counted so many, perhaps a moment earlier */
export function countUnread(readCount: number, openCount: number): number {
  return readCount < maxWidest ? 0 : Math.max(0, openCount - readCount);
}

/** Those on the most agents, and below them the newest of the others. */
export function addNewest<Cause extends Pick<AgentErrorGroup, 'id' | 'agentsCount'>>(
  widest: readonly Cause[],
  newest: readonly Cause[],
): Cause[] {
  const known = new Set(widest.map(({ id }) => id));
  const others = newest.filter(({ id }) => !known.has(id));
  return [...widest, ...others.toSorted((one, other) => other.agentsCount - one.agentsCount)];
}
