import type { Agent, AgentError, AgentWithConfig } from '@muster/client';

const hourMilliseconds = 3_600_000;

/** How an agent was for a part of the last hour. `well`: it had no open error. `before`: nobody knows. */
export type HourState = Agent['status'] | 'well' | 'before';

export interface HourPart {
  readonly state: HourState;
  readonly milliseconds: number;
}

interface KnownErrors {
  /** The newest first. */
  readonly errors: readonly Pick<AgentError, 'createdAt' | 'dismissedAt'>[];
  /** False: there are older ones. */
  readonly hasAll: boolean;
}

type Shown = Pick<AgentWithConfig, 'status' | 'statusSince' | 'createdAt' | 'openError'>;

/**
 * The last hour of an agent, the oldest part first, or the time since it was registered. The last part is what the agent is now.
 *
 * @param now milliseconds; not before `statusSince`
 */
export function lastHourParts(
  { status, statusSince, createdAt, openError }: Shown,
  { errors, hasAll }: KnownErrors,
  now: number,
): readonly HourPart[] {
  const start = Math.max(now - hourMilliseconds, Math.min(now, Date.parse(createdAt)));
  const since = Math.max(start, Date.parse(statusSince));
  const oldest = Date.parse(errors.at(-1)?.createdAt ?? statusSince);
  const knownFrom = hasAll ? start : Math.min(since, oldest);
  const failing = errors.map((error) => ({
    from: Date.parse(error.createdAt),
    // What is open now began its state: an open error from before it is of another configuration, and nobody knows until when.
    to: Math.min(since, error.dismissedAt === null ? since : Date.parse(error.dismissedAt)),
  }));
  const edges = [start, since, knownFrom, ...failing.flatMap(({ from, to }) => [from, to])];
  const times = [...new Set(edges.filter((time) => time >= start && time <= since))].sort(
    (one, other) => one - other,
  );
  // Its state began with the error that is open. Other states may follow any other.
  const isOfError = status === 'unhealthy' && openError !== null;
  const parts = times.slice(1).map((to, place): HourPart => {
    const from = times[place] ?? start;
    const isFailing = failing.some((error) => error.from <= from && error.to >= to);
    const otherwise = isOfError && from >= knownFrom ? 'well' : 'before';
    return { state: isFailing ? 'unhealthy' : otherwise, milliseconds: to - from };
  });
  return joined([...parts, { state: status, milliseconds: now - since }]);
}

/** Without empty parts but the last, and with one part for what goes on. */
function joined(parts: readonly HourPart[]): readonly HourPart[] {
  const kept: HourPart[] = [];
  for (const part of parts.filter(
    ({ milliseconds }, place) => milliseconds > 0 || place === parts.length - 1,
  )) {
    const last = kept.at(-1);
    if (last?.state === part.state)
      kept[kept.length - 1] = { ...part, milliseconds: last.milliseconds + part.milliseconds };
    else kept.push(part);
  }
  return kept;
}
