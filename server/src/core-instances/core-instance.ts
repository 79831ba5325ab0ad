import { type CoreInstanceStatus, reachableSince } from '@muster/contract';

/** What core instances are judged by at a time. */
export interface Hearing {
  /** One that was not heard since is unreachable, in milliseconds. */
  readonly since: number;
  /** False: the service has not listened for so long. Then only those are unreachable of which it was noted before. */
  readonly isWhole: boolean;
}

/** @param listeningSince since when the service has listened without a break, in milliseconds */
export function hearingAt(now: number, listeningSince: number): Hearing {
  const since = reachableSince(now);
  return { since, isWhole: listeningSince < since };
}

interface Contacts {
  readonly last_contact_at: number | null;
  readonly missed_contact_at: number | null;
}

/** The same stands in SQL in `core-instance-store.ts`. */
export function statusOf(
  { last_contact_at: contactAt, missed_contact_at: missedAt }: Contacts,
  { since, isWhole }: Hearing,
): CoreInstanceStatus {
  if (contactAt === null) return 'waiting';
  const isNoted = missedAt !== null && missedAt >= contactAt;
  return contactAt < since && (isWhole || isNoted) ? 'unreachable' : 'running';
}

/** Also while it is not heard: what waited then still waits. */
export function lagSeconds(oldestSpooledAt: number | null, now: number): number {
  return oldestSpooledAt === null ? 0 : Math.max(0, Math.floor((now - oldestSpooledAt) / 1_000));
}
