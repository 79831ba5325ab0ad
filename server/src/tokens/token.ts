import {
  expiringWithinDays,
  type Grant,
  intersectGrants,
  surplusGrants,
  type TokenStatus,
} from '@muster/contract';

const dayMilliseconds = 86_400_000;

/** What decides the state of a token; times in milliseconds. */
export interface TokenLife {
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** What a project token may hand on: what it holds, for no longer than it lasts. */
export interface GrantingToken {
  readonly grants: readonly Grant[];
  readonly expiresAt: number | null;
}

/** What a token was granted, and which of it by a person: that part depends on no other token. */
export interface StoredGrants {
  readonly grants: readonly Grant[];
  /** Means something only for a token that another one stands behind. */
  readonly ownGrants: readonly Grant[];
}

/**
 * What a token may do: what it was granted, as far as it holds that by itself or the token behind it may do the same now.
 *
 * @param lineage the token itself first, then the one behind it, and so on up to one that depends on none.
 */
export function effectiveGrants(lineage: readonly StoredGrants[]): Grant[] {
  const [token, ...behind] = lineage;
  if (token === undefined) return [];
  if (behind.length === 0) return [...token.grants];
  return intersectGrants(token.grants, [...token.ownGrants, ...effectiveGrants(behind)]);
}

export function statusAt(now: number, { expiresAt, revokedAt }: TokenLife): TokenStatus {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'active';
  if (expiresAt <= now) return 'expired';
  return expiresAt <= expiringBefore(now) ? 'expiring' : 'active';
}

/** Tokens that end by this time are `expiring`. */
export function expiringBefore(now: number): number {
  return now + expiringWithinDays * dayMilliseconds;
}

/** True when a token that ends then outlives one that ends at `limit`; null is never. */
export function outlives(expiresAt: number | null, limit: number | null): boolean {
  if (limit === null) return false;
  return expiresAt === null || expiresAt > limit;
}

/** True when a change lets a token do more, or for longer. */
export function widens(before: GrantingToken, after: GrantingToken): boolean {
  return surplusGrants(before.grants, after.grants).length > 0 || outlives(after.expiresAt, before.expiresAt);
}

/**
 * What of a change to a token its maker does not hold. A grant that the token had already is not granted anew,
 * unless the change makes the token last longer.
 */
export function surplusOfChange(maker: GrantingToken, before: GrantingToken, after: GrantingToken): Grant[] {
  const granted = outlives(after.expiresAt, before.expiresAt)
    ? after.grants
    : surplusGrants(before.grants, after.grants);
  return surplusGrants(maker.grants, granted);
}
