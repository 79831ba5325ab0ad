import { type Kysely, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import { deleteInPortions } from '../../foundation/database/delete-in-portions.ts';
import { isAnyID } from '../../foundation/database/is-any-id.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { descendantsOf } from './token-store.ts';

/** Who revoked a token, when and why. */
export interface Revocation {
  readonly at: number;
  readonly by: { readonly kind: string; readonly id: string | null; readonly name: string | null };
  readonly reason: string | null;
  /** Also the tokens of the agents that registered with it end. */
  readonly endsAgents: boolean;
}

/**
 * Revokes a token and its descendants, inside a transaction that has locked them. What is known of an earlier revocation stays. Returns their ids,
 * including those that were already revoked.
 */
export async function revokeTokens(
  db: Kysely<Tables>,
  id: string,
  { at, by, reason, endsAgents }: Revocation,
): Promise<string[]> {
  const unlessRevoked = (column: string, value: string | null) =>
    sql<string | null>`case when revoked_at is null then ${value} else ${sql.ref(column)} end`;
  const rows = await db
    .updateTable('project_tokens')
    .set((eb) => ({
      revoked_at: eb.fn.coalesce('revoked_at', eb.val(at)),
      revoked_by_kind: unlessRevoked('revoked_by_kind', by.kind),
      revoked_by_id: unlessRevoked('revoked_by_id', by.id),
      revoked_by_name: unlessRevoked('revoked_by_name', by.name),
      revoke_reason: unlessRevoked('revoke_reason', reason),
      ...(endsAgents ? { ends_agents: 1 } : {}),
    }))
    .where((eb) => eb.or([eb('id', '=', id), eb('id', 'in', descendantsOf(id))]))
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

/**
 * Removes tokens that were revoked or have expired before a time, with everything that belongs to them. A token stays for as long as one that depends
 * on it.
 */
export async function deleteEndedTokens(
  database: Database,
  closing: AbortSignal,
  before: number,
): Promise<void> {
  await deleteInPortions(closing, (limit) => deleteSome(database, before, limit));
}

async function deleteSome({ engine, write }: Database, before: number, limit: number): Promise<number> {
  return write.transaction().execute(async (trx) => {
    const ended = trx
      .selectFrom('project_tokens')
      .select(['id', 'parent_id', 'ends_agents'])
      .where((eb) =>
        eb.or([
          eb('revoked_at', '<=', before),
          eb.and([eb('revoked_at', 'is', null), eb('expires_at', '<=', before)]),
        ]),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('project_tokens as child')
              .select('child.id')
              .whereRef('child.parent_id', '=', 'project_tokens.id'),
          ),
        ),
      )
      .orderBy('id')
      .limit(limit);
    const rows = await (engine === 'postgres' ? ended.forUpdate().skipLocked() : ended).execute();
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return 0;
    for (const table of ['earlier_secrets', 'rotations', 'token_days', 'token_origins'] as const) {
      await trx.deleteFrom(table).where('token_id', 'in', ids).execute();
    }
    const handing = rows.filter((row) => row.parent_id !== null && row.ends_agents === 0);
    if (handing.length > 0) {
      const leaving = handing.map(({ id }) => id);
      // The tokens are removed when all their agents are handed over.
      if ((await handOverAgents(trx, engine, leaving, limit)) === limit) return limit;
      if ((await handOverAgentTokens(trx, engine, leaving, limit)) === limit) return limit;
    }
    const enders = rows.filter(({ ends_agents }) => ends_agents === 1).map(({ id }) => id);
    // Without its maker, an agent's token would be valid again.
    if (enders.length > 0) await deleteAgentTokensMadeWith(trx, enders);
    await trx.deleteFrom('project_tokens').where('id', 'in', ids).execute();
    return ids.length;
  });
}

async function deleteAgentTokensMadeWith(trx: Kysely<Tables>, tokenIDs: readonly string[]): Promise<void> {
  await trx.deleteFrom('agent_tokens').where('created_with', 'in', tokenIDs).execute();
}

/**
 * Lets the parents of tokens that are removed stand for the agents that registered or reported with them: whoever revokes a parent together with its
 * agents means these too.
 */
async function handOverAgents(
  trx: Kysely<Tables>,
  engine: Engine,
  tokenIDs: readonly string[],
  limit: number,
): Promise<number> {
  const isOf = (column: string) => sql`${isAnyID(engine, sql.ref(column), tokenIDs)} and deleted_at is null`;
  const query = trx
    .selectFrom('agents')
    .select('id')
    .where(
      sql<boolean>`id in (
        select * from (
          select id from agents where ${isOf('registered_with')}
          union
          select id from agents where ${isOf('reported_with')} and reported_with is not null
        ) as found limit ${limit})`,
    )
    .orderBy('id');
  const agents = await (engine === 'postgres' ? query.forNoKeyUpdate() : query).execute();
  if (agents.length === 0) return 0;
  const heir = (column: string) => sql<string>`case when ${isAnyID(engine, sql.ref(column), tokenIDs)}
    then ${parentOf(column)} else ${sql.ref(column)} end`;
  await trx
    .updateTable('agents')
    .set({ registered_with: heir('registered_with'), reported_with: heir('reported_with') })
    .where(
      isAnyID(
        engine,
        sql.ref('id'),
        agents.map(({ id }) => id),
      ),
    )
    .execute();
  return agents.length;
}

async function handOverAgentTokens(
  trx: Kysely<Tables>,
  engine: Engine,
  tokenIDs: readonly string[],
  limit: number,
): Promise<number> {
  const isDue = isAnyID(engine, sql.ref('created_with'), tokenIDs);
  const due = sql`select agent_id, digest from agent_tokens where ${isDue} limit ${limit}`;
  const locked = sql`select agent_id, digest from agent_tokens
    where (agent_id, digest) in (${due}) order by agent_id, digest for no key update`;
  const { numUpdatedRows } = await trx
    .updateTable('agent_tokens')
    .set({ created_with: parentOf('created_with') })
    .where(sql<boolean>`(agent_id, digest) in (${engine === 'postgres' ? locked : due})`)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

function parentOf(column: string) {
  return sql<string>`(select parent_id from project_tokens where project_tokens.id = ${sql.ref(column)})`;
}
