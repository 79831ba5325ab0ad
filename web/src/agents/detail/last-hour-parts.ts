import type { Agent, AgentError } from '@muster/client';

const hourMilliseconds = 3_600_000;

/** How an agent was for a part of the last hour. `well`: it had no open error. `before`: it was not what it is now, and nobody knows what. */
export type HourState = Agent['status'] | 'well' | 'before';

export interface HourPart {
  readonly state: HourState;
  readonly milliseconds: number;
}

type KnownError = Pick<AgentError, 'createdAt' | 'dismissedAt'>;

/**
 * The last hour of an agent, the oldest part first, or the time since it was registered.
 *
 * @param errors those of the last hour, as far as they are stored
 */
export function lastHourParts(
  { status, statusSince, createdAt }: Pick<Agent, 'status' | 'statusSince' | 'createdAt'>,
  errors: readonly KnownError[],
  now: number,
): readonly HourPart[] {
  const start = Math.max(now - hourMilliseconds, Math.min(now, Date.parse(createdAt)));
  const since = Math.min(now, Math.max(start, Date.parse(statusSince)));
  const failing = errors.map((error) => ({
    from: Date.parse(error.createdAt),
    // What is open now began its state: an open error from before it is of another configuration, and nobody knows until when.
    to: Math.min(since, error.dismissedAt === null ? since : Date.parse(error.dismissedAt)),
  }));
  const edges = [start, since, ...failing.flatMap(({ from, to }) => [from, to])];
  const times = [...new Set(edges.filter((time) => time >= start && time <= since))].sort(
    (one, other) => one - other,
  );
  const otherwise: HourState = status === 'healthy' ? 'before' : 'well';
  const parts = times.slice(1).map((to, place): HourPart => {
    const from = times[place] ?? start;
    const isFailing = failing.some((error) => error.from <= from && error.to >= to);
    return { state: isFailing ? 'unhealthy' : otherwise, milliseconds: to - from };
  });
  return joined([...parts, { state: status, milliseconds: now - since }]);
}

/** Without empty parts, and with one part for what goes on. */
function joined(parts: readonly HourPart[]): readonly HourPart[] {
  const kept: HourPart[] = [];
  for (const part of parts.filter(({ milliseconds }) => milliseconds > 0)) {
    const last = kept.at(-1);
    if (last?.state === part.state)
      kept[kept.length - 1] = { ...part, milliseconds: last.milliseconds + part.milliseconds };
    else kept.push(part);
  }
  return kept;
}
