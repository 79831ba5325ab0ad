import {
  expiringWithinDays,
  type Grant,
  intersectGrants,
  surplusGrants,
  type TokenStatus,
} from '@muster/contract';

const dayMilliseconds = 86_400_000;

/** The facts that decide the status of a token; times in milliseconds. */
export interface TokenLife {
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** When its earlier values end, as far as that is decided. */
  readonly earlierEnds?: readonly number[];
}

/** What a project token may grant: its own permissions, until its own expiry. */
export interface GrantingToken {
  readonly grants: readonly Grant[];
  readonly expiresAt: number | null;
}

/** The grants of a token, and those of them that a user granted, which depend on no other token. */
export interface StoredGrants {
  readonly grants: readonly Grant[];
  /** Only meaningful for a token that has a parent. */
  readonly ownGrants: readonly Grant[];
}

/**
 * The effective grants of a token: those that it holds independently, and those that its parent also has now.
 *
 * @param lineage the token itself first, then its parent, and so on up to the one that has no parent.
 */
export function effectiveGrants(lineage: readonly StoredGrants[]): Grant[] {
  const [token, ...behind] = lineage;
  if (token === undefined) return [];
  if (behind.length === 0) return [...token.grants];
  return intersectGrants(token.grants, [...token.ownGrants, ...effectiveGrants(behind)]);
}

export function statusAt(now: number, { expiresAt, revokedAt, earlierEnds = [] }: TokenLife): TokenStatus {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  const ends = [...earlierEnds.filter((end) => end > now), expiresAt ?? Number.POSITIVE_INFINITY];
  return Math.min(...ends) <= expiringBefore(now) ? 'expiring' : 'active';
}

/** Tokens that expire by this time are `expiring`. */
export function expiringBefore(now: number): number {
  return now + expiringWithinDays * dayMilliseconds;
}

/** True if `expiresAt` is later than `limit`; null means never. */
export function outlives(expiresAt: number | null, limit: number | null): boolean {
  if (limit === null) return false;
  return expiresAt === null || expiresAt > limit;
}

/** True if a change gives a token more permissions or a later expiry. */
export function widens(before: GrantingToken, after: GrantingToken): boolean {
  return surplusGrants(before.grants, after.grants).length > 0 || outlives(after.expiresAt, before.expiresAt);
}

/**
 * The grants in a change that the maker does not hold. A grant that the token already had does not count, unless the change makes the token expire later.
 */
export function surplusOfChange(maker: GrantingToken, before: GrantingToken, after: GrantingToken): Grant[] {
  const granted = outlives(after.expiresAt, before.expiresAt)
    ? after.grants
    : surplusGrants(before.grants, after.grants);
  return surplusGrants(maker.grants, granted);
}
