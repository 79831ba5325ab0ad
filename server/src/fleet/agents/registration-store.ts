import { type Insertable, type Kysely, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import { executeWithNext } from '../../foundation/database/deferred-statement.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { writeRows } from '../../foundation/database/write-rows.ts';
import { type AgentAfterChange, type AgentRow, afterChange } from './agent-store.ts';
import type { Described } from './liveness/signs-of-agent.ts';

/** Inserts a new agent; undefined if the project already has one with its machine id. */
export async function insertAgent(
  db: Kysely<Tables>,
  row: Insertable<Tables['agents']>,
): Promise<AgentAfterChange | undefined> {
  return db
    .insertInto('agents')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'machine_id']).where('deleted_at', 'is', null).doNothing(),
    )
    .returning(afterChange)
    .executeTakeFirst();
}

/** Inserts an agent unless the project has one with its machine id, which stays unchanged. Returns the id. */
export async function ensureAgent(db: Kysely<Tables>, row: Insertable<Tables['agents']>): Promise<string> {
  const { id } = await db
    .insertInto('agents')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'machine_id'])
        .where('deleted_at', 'is', null)
        // Without an update, the statement would not return the id.
        .doUpdateSet({ last_seen_at: row.last_seen_at }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The agent with a machine id. */
export type KnownMachine = Pick<
  AgentRow,
  'id' | 'released_at' | 'reported_with' | 'updated_at' | keyof Described
>;

export async function findMachine(
  db: Kysely<Tables>,
  projectID: string,
  machineID: string,
): Promise<KnownMachine | undefined> {
  return selectMachine(db, projectID, machineID).executeTakeFirst();
}

/** The same, locked until the transaction ends. */
export async function lockMachine(
  db: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  machineID: string,
): Promise<KnownMachine | undefined> {
  const query = selectMachine(db, projectID, machineID);
  // SQLite has one transaction at a time.
  return (engine === 'postgres' ? query.forNoKeyUpdate() : query).executeTakeFirst();
}

function selectMachine(db: Kysely<Tables>, projectID: string, machineID: string) {
  return db
    .selectFrom('agents')
    .select(['id', 'released_at', 'reported_with', 'updated_at', 'described_at', 'described_through'])
    .where('project_id', '=', projectID)
    .where('machine_id', '=', machineID)
    .where('deleted_at', 'is', null);
}

/** True if an agent with this machine id was deleted at this time or later. */
export async function wasDeletedSince(
  db: Kysely<Tables>,
  projectID: string,
  machineID: string,
  at: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('agents')
    .select('id')
    .where('project_id', '=', projectID)
    .where('machine_id', '=', machineID)
    .where('deleted_at', '>=', at)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** `is_ended` is 1 if the project token that it was made with was revoked together with its agents. */
type KnownAgentToken = Pick<AgentTokenRow, 'digest' | 'sequence' | 'used_at'> & { readonly is_ended: number };

/** Digests of an agent's tokens with the ids that order them, newest first. */
export async function listAgentTokens(db: Kysely<Tables>, agentID: string): Promise<KnownAgentToken[]> {
  return db
    .selectFrom('agent_tokens')
    .leftJoin('project_tokens as maker', 'maker.id', 'agent_tokens.created_with')
    .select(['agent_tokens.digest', 'agent_tokens.sequence', 'agent_tokens.used_at'])
    .select(sql<number>`coalesce(maker.ends_agents, 0)`.as('is_ended'))
    .where('agent_tokens.agent_id', '=', agentID)
    .orderBy('agent_tokens.sequence', 'desc')
    .execute();
}

type AgentTokenRow = Tables['agent_tokens'];

export async function insertAgentToken(
  db: Kysely<Tables>,
  row: Insertable<Tables['agent_tokens']>,
): Promise<void> {
  await executeWithNext(db, db.insertInto('agent_tokens').values(row));
}

/** Removes the given tokens of an agent. Returns the digests. */
export async function deleteAgentTokens(
  db: Kysely<Tables>,
  agentID: string,
  digests: readonly string[],
): Promise<readonly string[]> {
  if (digests.length === 0) return [];
  await db
    .deleteFrom('agent_tokens')
    .where('agent_id', '=', agentID)
    .where('digest', 'in', digests)
    .execute();
  return digests;
}

/** Removes the given tokens of an agent if they are unused. Returns the digests of the removed ones. */
export async function deleteUnusedAgentTokens(
  db: Kysely<Tables>,
  agentID: string,
  digests: readonly string[],
): Promise<string[]> {
  if (digests.length === 0) return [];
  const rows = await db
    .deleteFrom('agent_tokens')
    .where('agent_id', '=', agentID)
    .where('digest', 'in', digests)
    // Checked again, because one of them may have been used since they were listed.
    .where('used_at', 'is', null)
    .returning('digest')
    .execute();
  return rows.map((row) => row.digest);
}

/** Records that a token was used, and removes the agent's older ones. Returns the digests of the removed ones. */
export async function endOlderAgentTokens(
  db: Kysely<Tables>,
  engine: Engine,
  agentID: string,
  digest: string,
  at: number,
): Promise<string[]> {
  // Before the tokens, in the same order as a registration.
  if (engine === 'postgres')
    await db.selectFrom('agents').select('id').where('id', '=', agentID).forNoKeyUpdate().execute();
  const used = await db
    .updateTable('agent_tokens')
    .set({ used_at: at })
    .where('agent_id', '=', agentID)
    .where('digest', '=', digest)
    .where('used_at', 'is', null)
    .returning('sequence')
    .executeTakeFirst();
  if (used === undefined) return [];
  const rows = await db
    .deleteFrom('agent_tokens')
    .where('agent_id', '=', agentID)
    .where('sequence', '<', used.sequence)
    .returning('digest')
    .execute();
  return rows.map((row) => row.digest);
}

const updateReportedWithSql = {
  sqlite: 'update agents set reported_with = ?2 where id = ?1',
  postgres: `
    with input as materialized (
      select * from unnest($1::uuid[], $2::uuid[]) as t (id, token_id)
    ), locked as materialized (
      select agents.id, input.token_id from agents join input using (id) order by agents.id for no key update of agents
    )
    update agents set reported_with = locked.token_id from locked where agents.id = locked.id`,
};

/** Records the token of each agent's last report by machine id, by the agent's id. */
export async function updateReportedWith(
  database: Database,
  tokens: ReadonlyMap<string, string>,
): Promise<void> {
  await writeRows(database, updateReportedWithSql, [...tokens]);
}

/** True if an agent of any project has a token with this digest. */
export async function isKnownDigest(db: Kysely<Tables>, digest: string): Promise<boolean> {
  const row = await db
    .selectFrom('agent_tokens')
    .select('agent_id')
    .where('digest', '=', digest)
    .executeTakeFirst();
  return row !== undefined;
}

/** The agent with an id, whatever its project and whether it exists. */
export async function findHolder(
  db: Kysely<Tables>,
  id: string,
): Promise<Pick<AgentRow, 'id' | 'project_id' | 'deleted_at'> | undefined> {
  return db
    .selectFrom('agents')
    .select(['id', 'project_id', 'deleted_at'])
    .where('id', '=', id)
    .executeTakeFirst();
}
