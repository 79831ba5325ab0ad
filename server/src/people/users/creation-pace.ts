import { newCredentialsPerMinute } from '@muster/contract';
import { Refusal } from '../../foundation/refusal.ts';

const minute = 60_000;

/**
 * Limits how fast a user creates credentials of a kind: each is an entry of the audit log. The database knows when the ones before were created, so
 * that the limit is of all replicas together. Requests at the same moment may exceed it by a few.
 *
 * @param createdAt of earlier ones, the newest first; at least as many as the limit if there are so many
 * @throws Refusal too_many_new_credentials
 */
export function refuseTooFast(
  kind: keyof typeof newCredentialsPerMinute,
  createdAt: readonly number[],
  now: number,
): void {
  const limit = newCredentialsPerMinute[kind];
  const first = createdAt[limit - 1];
  // A time in the future: the clock was set back.
  if (first === undefined || first <= now - minute || first > now) return;
  throw new Refusal('too_many_new_credentials', { retryAfterSeconds: (first + minute - now) / 1_000 });
}
