import { type CoreInstanceStatus, reachableSince } from '@muster/contract';

/** What the status of a core instance is judged by. */
export function statusOf(lastContactAt: number | null, now: number): CoreInstanceStatus {
  if (lastContactAt === null) return 'waiting';
  return lastContactAt < reachableSince(now) ? 'unreachable' : 'running';
}

/** Also while it is not heard: what waited then still waits. */
export function lagSeconds(oldestSpooledAt: number | null, now: number): number {
  return oldestSpooledAt === null ? 0 : Math.max(0, Math.floor((now - oldestSpooledAt) / 1_000));
}
