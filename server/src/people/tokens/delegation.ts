import { type Grant, intersectGrants, surplusGrants } from '@muster/contract';
import type { Kysely } from 'kysely';
import { toTimestamp } from '../../foundation/clock.ts';
import type { Principal } from '../../foundation/credentials/principal.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { Refusal } from '../../foundation/refusal.ts';
import {
  effectiveGrants,
  type GrantingToken,
  outlives,
  type StoredGrants,
  surplusOfChange,
  widens,
} from './token.ts';
import * as store from './token-store.ts';

/** The requested change; undefined fields stay unchanged. */
interface AskedChange {
  readonly grants: readonly Grant[] | undefined;
  readonly expiresAt: number | null | undefined;
}

/**
 * Maximum length of a chain of tokens, each created or widened with the next. The permissions of a token are computed from the whole chain.
 */
const maxGenerations = 32;

/**
 * Reads the calling project token inside the caller's transaction. Undefined for a user and the service itself, whom no token limits.
 *
 * @throws Refusal revoked_credential
 */
export async function findMaker(
  trx: Kysely<Tables>,
  principal: Principal | undefined,
): Promise<GrantingToken | undefined> {
  if (principal?.kind !== 'project') return undefined;
  const row = await store.findToken(trx, principal.tokenID);
  if (row === undefined || row.revoked_at !== null) throw new Refusal('revoked_credential');
  return { grants: await findEffectiveGrants(trx, row.id), expiresAt: row.expires_at };
}

/**
 * Checks what a project token grants to a new one. Returns the expiry of the new one.
 *
 * @throws Refusal permissions_exceed_own, expiry_exceeds_own, permission_denied
 */
export async function checkGift(
  trx: Kysely<Tables>,
  makerID: string,
  maker: GrantingToken,
  asked: { readonly grants: readonly Grant[]; readonly expiresAt: number | null | undefined },
): Promise<number | null> {
  refuseSurplus(surplusGrants(maker.grants, asked.grants));
  await refuseGenerations(trx, makerID, 1);
  // Without an explicit expiry, the new token expires with its maker.
  if (asked.expiresAt === undefined) return maker.expiresAt;
  refuseOutliving(asked.expiresAt, maker.expiresAt);
  return asked.expiresAt;
}

/**
 * Checks what a user grants to a new token.
 *
 * @param held what the user may do in the project now
 * @throws Refusal permissions_exceed_own
 */
export function checkGiftOfUser(held: readonly Grant[], asked: readonly Grant[]): void {
  refuseSurplusOfUser(surplusGrants(held, asked));
}

/**
 * Computes the state of a token after a change, including its parent.
 *
 * @param principal undefined: the service itself
 * @param held what the calling user may do in the project now; undefined for a project token, whose grants are read here, and for the service
 * @throws Refusal permissions_exceed_own, expiry_exceeds_own, permission_denied
 */
export async function planChange(
  trx: Kysely<Tables>,
  principal: Principal | undefined,
  row: store.TokenRow,
  asked: AskedChange,
  held: readonly Grant[] | undefined,
): Promise<store.TokenChange> {
  const before = { grants: await findEffectiveGrants(trx, row.id), expiresAt: row.expires_at };
  const after = {
    grants: asked.grants ?? before.grants,
    expiresAt: asked.expiresAt === undefined ? row.expires_at : asked.expiresAt,
  };
  const maker = await findMaker(trx, principal);
  if (held !== undefined && widens(before, after)) {
    refuseSurplusOfUser(surplusOfChange({ grants: held, expiresAt: null }, before, after));
  }
  const kept = intersectGrants(ownGrantsOf(row, before.grants), after.grants);
  const unchanged = { parent_id: row.parent_id, ownGrants: asked.grants === undefined ? readOwn(row) : kept };
  const { parent_id, ownGrants } =
    maker !== undefined && principal?.kind === 'project' && widens(before, after)
      ? await widen(trx, { id: principal.tokenID, ...maker }, row, { before, after, kept })
      : unchanged;
  if (row.parent_id !== null) {
    const parent = await store.findToken(trx, row.parent_id);
    if (parent !== undefined) refuseOutliving(after.expiresAt, parent.expires_at);
  }
  // What a user grants depends on no token.
  const granted = maker === undefined ? surplusGrants(before.grants, after.grants) : [];
  return {
    permissions: asked.grants === undefined ? row.permissions : JSON.stringify(asked.grants),
    own_permissions: parent_id === null ? null : JSON.stringify([...ownGrants, ...granted]),
    parent_id,
    expires_at: after.expiresAt,
  };
}

/**
 * The change of a token that somebody rotates, who gets its value. On a project token that does so it depends in everything, as if that one had
 * created it.
 *
 * @param held what the user may do in the project; undefined if a project token rotates it.
 * @throws Refusal permissions_exceed_own, expiry_exceeds_own, permission_denied
 */
export async function planHandOver(
  trx: Kysely<Tables>,
  principal: Principal,
  row: store.TokenRow,
  held: readonly Grant[] | undefined,
): Promise<Partial<Pick<store.TokenChange, 'parent_id' | 'own_permissions'>>> {
  const grants = await findEffectiveGrants(trx, row.id);
  // All that it was granted: a part may not hold now, but again when its parent gets it back.
  if (held !== undefined) checkGiftOfUser(held, storedGrants(row).grants);
  const maker = await findMaker(trx, principal);
  if (maker === undefined || principal.kind !== 'project' || principal.tokenID === row.id) return {};
  const surplus = surplusGrants(maker.grants, grants);
  if (surplus.length > 0) {
    throw new Refusal('permissions_exceed_own', {
      detail: `Your token does not have ${quoteAll(surplus)}, which this one has, so it cannot get the new value of this one. Use an access token.`,
    });
  }
  if (maker.expiresAt !== null && outlives(row.expires_at, maker.expiresAt)) {
    throw new Refusal('expiry_exceeds_own', {
      detail: `Your token expires at ${toTimestamp(maker.expiresAt)}, before this one, so it cannot get the new value of this one. Use an access token.`,
    });
  }
  return { parent_id: await findParent(trx, principal.tokenID, row), own_permissions: null };
}

interface Widening {
  readonly before: GrantingToken;
  readonly after: GrantingToken;
  /** Grants that the token keeps independently of its parent. */
  readonly kept: readonly Grant[];
}

/** A widened token depends on the project token that widened it, or on a token that depends on that one. */
async function widen(
  trx: Kysely<Tables>,
  maker: GrantingToken & { readonly id: string },
  row: store.TokenRow,
  { before, after, kept }: Widening,
): Promise<{ readonly parent_id: string; readonly ownGrants: readonly Grant[] }> {
  refuseSurplus(surplusOfChange(maker, before, after));
  refuseOutliving(after.expiresAt, maker.expiresAt);
  const parentID = await findParent(trx, maker.id, row);
  const ofParent = await findEffectiveGrants(trx, parentID);
  const lost = surplusGrants([...kept, ...ofParent], after.grants);
  if (lost.length > 0) {
    throw new Refusal('permissions_exceed_own', {
      detail: `This token depends on another one, which does not have ${quoteAll(lost)}. Use an access token to grant that.`,
    });
  }
  return { parent_id: parentID, ownGrants: kept };
}

/**
 * Finds the parent of a token that another token widens. Like a token that it creates, the widened token is revoked with its parent and expires no
 * later: otherwise permissions could outlive the token that granted them.
 *
 * @throws Refusal permission_denied, if the token already depends on another one and cannot depend on both
 */
async function findParent(trx: Kysely<Tables>, makerID: string, row: store.TokenRow): Promise<string> {
  const { id, parent_id: parentID } = row;
  if (parentID !== null && (await store.descendsFrom(trx, id, makerID))) return parentID;
  const staysBound = parentID === null || (await store.descendsFrom(trx, makerID, parentID));
  if (!staysBound || (await store.descendsFrom(trx, makerID, id))) {
    throw new Refusal('permission_denied', {
      detail:
        'This token depends on the token that created or widened it, so your token cannot grant it more. Use an access token.',
    });
  }
  await refuseGenerations(trx, makerID, await store.countGenerations(trx, id));
  return makerID;
}

/** Grants that a token holds independently of a parent: all of them if it has no parent. */
function ownGrantsOf(row: store.TokenRow, effective: readonly Grant[]): readonly Grant[] {
  return row.parent_id === null ? effective : readOwn(row);
}

function readOwn(row: store.TokenRow): readonly Grant[] {
  return storedGrants(row).ownGrants;
}

async function findEffectiveGrants(trx: Kysely<Tables>, id: string): Promise<Grant[]> {
  return effectiveGrants((await store.findLineage(trx, id)).map(storedGrants));
}

export function storedGrants({ permissions, own_permissions: own }: store.GrantColumns): StoredGrants {
  return { grants: parseGrants(permissions), ownGrants: own === null ? [] : parseGrants(own) };
}

function parseGrants(column: string): Grant[] {
  return JSON.parse(column) as Grant[]; // only this feature writes it
}

async function refuseGenerations(trx: Kysely<Tables>, makerID: string, added: number): Promise<void> {
  const { length } = await store.findLineage(trx, makerID);
  if (length + added <= maxGenerations) return;
  throw new Refusal('permission_denied', {
    detail: `A chain of tokens that were created with one another has at most ${maxGenerations} tokens, and this one would be longer. Use an access token.`,
  });
}

function refuseSurplus(surplus: readonly Grant[]): void {
  if (surplus.length === 0) return;
  throw new Refusal('permissions_exceed_own', {
    detail: `Your token does not have ${quoteAll(surplus)}, so it cannot grant that. Leave it out or use an access token.`,
  });
}

function refuseSurplusOfUser(surplus: readonly Grant[]): void {
  if (surplus.length === 0) return;
  throw new Refusal('permissions_exceed_own', {
    detail: `This credential does not have ${quoteAll(surplus)} in the project, so it cannot grant that. Leave it out, or ask an owner of the project.`,
  });
}

function quoteAll(grants: readonly Grant[]): string {
  return grants.map((grant) => `'${grant}'`).join(', ');
}

function refuseOutliving(expiresAt: number | null, limit: number | null): void {
  if (limit === null || !outlives(expiresAt, limit)) return;
  throw new Refusal('expiry_exceeds_own', {
    detail: `The token may be valid until ${toTimestamp(limit)} at the latest, because the token on which it depends expires then.`,
    fields: [{ path: '/expiresAt', message: `must be ${toTimestamp(limit)} or earlier` }],
  });
}
