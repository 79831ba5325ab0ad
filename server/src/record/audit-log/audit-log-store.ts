import { type Kysely, type Selectable, sql } from 'kysely';
import { minIDAt } from '../../foundation/clock.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import { newestFirst } from '../../foundation/database/newest-first.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { Page } from '../../foundation/list-page.ts';

export type AuditEntryRow = Selectable<Tables['audit_entries']>;
export type AuditChainRow = Selectable<Tables['audit_chains']>;

export interface AuditFilter {
  /** Undefined: all. */
  readonly chainID: string | undefined;
  readonly actorID: string | undefined;
  /** Undefined: all. */
  readonly actions: readonly string[] | undefined;
  readonly targetID: string | undefined;
  /** Milliseconds, inclusive. */
  readonly since: number | undefined;
  /** Milliseconds, exclusive. */
  readonly until: number | undefined;
}

/** Newest first, with one more than the page if another page follows. */
export async function listEntries(
  db: Kysely<Tables>,
  filter: AuditFilter,
  page: Page,
): Promise<AuditEntryRow[]> {
  const { chainID, actorID, actions, targetID, since, until } = filter;
  let query = db.selectFrom('audit_entries').selectAll();
  if (chainID !== undefined) query = query.where('chain_id', '=', chainID);
  if (actorID !== undefined) query = query.where('actor_id', '=', actorID);
  if (actions !== undefined) query = query.where('action', 'in', actions);
  if (targetID !== undefined) query = query.where('target_id', '=', targetID);
  if (since !== undefined) query = query.where('id', '>=', minIDAt(since));
  if (until !== undefined) query = query.where('id', '<', minIDAt(until));
  return newestFirst(query, 'id', page).execute();
}

/** In the order of a chain. */
export async function listEntriesAfter(
  db: Kysely<Tables>,
  chainID: string,
  { after, upTo, limit }: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<AuditEntryRow[]> {
  return db
    .selectFrom('audit_entries')
    .selectAll()
    .where('chain_id', '=', chainID)
    .where('sequence', '>', after)
    .where('sequence', '<=', upTo)
    .orderBy('sequence')
    .limit(limit)
    .execute();
}

export async function findEntry(
  db: Kysely<Tables>,
  chainID: string,
  sequence: number,
): Promise<AuditEntryRow | undefined> {
  const [row] = await listEntriesAfter(db, chainID, { after: sequence - 1, upTo: sequence, limit: 1 });
  return row;
}

/** Newest project first, with one more than the page if another page follows. */
export async function listChains(db: Kysely<Tables>, page: Page): Promise<AuditChainRow[]> {
  const query = db.selectFrom('audit_chains').selectAll();
  return newestFirst(query, 'chain_id', page).execute();
}

export async function findChain(db: Kysely<Tables>, chainID: string): Promise<AuditChainRow | undefined> {
  return db.selectFrom('audit_chains').selectAll().where('chain_id', '=', chainID).executeTakeFirst();
}

/** Chains whose first entry was created before a time, in milliseconds. */
export async function listChainsWithOlder(
  db: Kysely<Tables>,
  before: number,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('audit_chains')
    .innerJoin('audit_entries', (join) =>
      join
        .onRef('audit_entries.chain_id', '=', 'audit_chains.chain_id')
        .on('audit_entries.sequence', '=', sql<number>`audit_chains.removed_sequence + 1`),
    )
    .select('audit_chains.chain_id')
    .where('audit_entries.created_at', '<', before)
    .limit(limit)
    .execute();
  return rows.map(({ chain_id: id }) => id);
}

/**
 * Removes the oldest entries of a chain that were created before a time, up to the first one that was not. The chain keeps the digest of the last one,
 * so that the rest can be verified. Returns their number.
 */
export async function removeOlder(
  trx: Kysely<Tables>,
  engine: Engine,
  { chainID, before, now, limit }: OldEntries,
): Promise<number> {
  const chains = trx.selectFrom('audit_chains').selectAll().where('chain_id', '=', chainID);
  const chain = await (engine === 'postgres' ? chains.forUpdate() : chains).executeTakeFirst();
  if (chain === undefined) return 0;
  const oldest = await trx
    .selectFrom('audit_entries')
    .select(['sequence', 'digest', 'created_at'])
    .where('chain_id', '=', chainID)
    .orderBy('sequence')
    .limit(limit)
    .execute();
  const end = oldest.findIndex(({ created_at: at }) => at >= before);
  const old = end < 0 ? oldest : oldest.slice(0, end);
  const last = old.at(-1);
  if (last === undefined) return 0;
  await trx
    .updateTable('audit_chains')
    .set({ removed_sequence: last.sequence, removed_digest: last.digest, removed_at: now })
    .where('chain_id', '=', chainID)
    .execute();
  await trx
    .deleteFrom('audit_entries')
    .where('chain_id', '=', chainID)
    .where('sequence', '<=', last.sequence)
    .execute();
  return old.length;
}

interface OldEntries {
  readonly chainID: string;
  readonly before: number;
  readonly now: number;
  readonly limit: number;
}
