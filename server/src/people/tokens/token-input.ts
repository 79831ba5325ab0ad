import { toTimestamp } from '../../foundation/clock.ts';
import type { Principal } from '../../foundation/credentials/principal.ts';
import { Refusal } from '../../foundation/refusal.ts';

const dayMilliseconds = 86_400_000;

/** @throws Refusal expiry_exceeds_own */
export function refuseLasting(expiresAt: number | null | undefined, until: number | undefined): void {
  if (expiresAt === undefined || until === undefined) return;
  if (expiresAt !== null && expiresAt <= until) return;
  throw new Refusal('expiry_exceeds_own', {
    detail: `The token may be valid until ${toTimestamp(until)} at the latest, because this installation limits tokens that users of the identity provider create (MUSTER_OIDC_PROJECT_TOKEN_DAYS).`,
    fields: [{ path: '/expiresAt', message: `must be ${toTimestamp(until)} or earlier` }],
  });
}

/**
 * The latest expiry of a token that the caller creates or extends; undefined: no limit.
 *
 * @param days for users of the identity provider; 0: no limit.
 */
export function latestExpiry(principal: Principal, days: number, now: number): number | undefined {
  const isLimited = principal.kind === 'access' && principal.isProvided && days > 0;
  return isLimited ? now + days * dayMilliseconds : undefined;
}
