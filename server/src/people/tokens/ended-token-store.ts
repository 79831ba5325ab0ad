import { type Kysely, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import { deleteInPortions } from '../../foundation/database/delete-in-portions.ts';
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
      .select(['id', 'ends_agents'])
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
