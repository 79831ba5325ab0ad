import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import { executeWithNext } from '../../foundation/database/deferred-statement.ts';
import { inLockOrder } from '../../foundation/database/in-lock-order.ts';
import { isAnyID } from '../../foundation/database/is-any-id.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { isAnyOf } from '../../foundation/database/text-matching.ts';
import { type Page, type PageOf, takeFitting } from '../../foundation/list-page.ts';
import type { Described } from './liveness/signs-of-agent.ts';

export type AgentRow = Selectable<Tables['agents']>;
export type AgentConfigRow = Selectable<Tables['agent_configs']>;

/** The columns with the agent's description of itself. */
export type AgentDescription = Pick<
  AgentRow,
  'name' | 'type' | 'version' | 'edition' | 'os' | 'arch' | 'flags' | 'metadata' | 'tags' | 'fleet_id'
>;

/** A configuration as sent: its digest, and the id that it gets if it differs from the previous one. */
export interface SentConfig {
  readonly id: string;
  readonly digest: string;
}

type AgentChange = Partial<AgentDescription & AgentIdentityColumns> &
  Pick<AgentRow, 'updated_at'> &
  Partial<Pick<AgentRow, 'last_seen_at' | keyof Described>>;

/** Only registrations write these columns. */
type AgentIdentityColumns = Pick<
  AgentRow,
  'registered_with' | 'reregistered_at' | 'reregistered_from' | 'released_at'
>;

/** The agent after it was registered or updated. */
export type AgentAfterChange = Pick<
  AgentRow,
  'id' | 'project_id' | 'name' | 'machine_id' | 'created_at' | 'config_id' | 'epoch'
>;

/** The columns that show the agent's project and whether it still exists. */
export type AgentIdentity = Pick<AgentRow, 'id' | 'name' | 'project_id' | 'deleted_at'>;

export const afterChange = [
  'id',
  'project_id',
  'name',
  'machine_id',
  'created_at',
  'config_id',
  'epoch',
] as const;

/** The id by which the service knows an agent to which a site gave this one. */
export async function findCanonicalID(
  db: Kysely<Tables>,
  projectID: string,
  aliasID: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('agent_aliases')
    .select('agent_id')
    .where('project_id', '=', projectID)
    .where('alias_id', '=', aliasID)
    .executeTakeFirst();
  return row?.agent_id;
}

/** Locks the agent until the transaction ends. Returns undefined if it was deleted. */
export async function lockAgent(
  db: Kysely<Tables>,
  engine: Engine,
  id: string,
): Promise<Pick<AgentRow, 'updated_at' | keyof Described> | undefined> {
  const query = db
    .selectFrom('agents')
    .select(['updated_at', 'described_at', 'described_through'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null);
  // SQLite has one transaction at a time.
  return (engine === 'postgres' ? query.forNoKeyUpdate() : query).executeTakeFirst();
}

/** Changes the given fields. Returns undefined if the agent was deleted meanwhile. */
export async function updateAgent(
  db: Kysely<Tables>,
  id: string,
  change: AgentChange,
  config: SentConfig | undefined,
): Promise<AgentAfterChange | undefined> {
  let query = db.updateTable('agents').set(change).where('id', '=', id).where('deleted_at', 'is', null);
  if (config !== undefined) {
    const isOtherConfig = sql<boolean>`config_digest is distinct from ${config.digest}`;
    query = query.set({
      epoch: sql`case when ${isOtherConfig} then epoch + 1 else epoch end`,
      config_id: sql`case when ${isOtherConfig} then ${config.id} else config_id end`,
      config_digest: config.digest,
    });
  }
  return query.returning(afterChange).executeTakeFirst();
}

export async function listAgentIdentities(
  { engine, read }: Database,
  ids: readonly string[],
): Promise<AgentIdentity[]> {
  return selectAgentIdentities(read)
    .where(isAnyID(engine, sql.ref('agents.id'), ids))
    .execute();
}

export async function findAgentIdentity(db: Kysely<Tables>, id: string): Promise<AgentIdentity | undefined> {
  return selectAgentIdentities(db).where('agents.id', '=', id).executeTakeFirst();
}

function selectAgentIdentities(db: Kysely<Tables>) {
  return db
    .selectFrom('agents')
    .innerJoin('projects', 'projects.id', 'agents.project_id')
    .where('projects.deleted_at', 'is', null)
    .select(['agents.id', 'agents.name', 'agents.project_id', 'agents.deleted_at']);
}

type AgentTokenState = Pick<Selectable<Tables['agent_tokens']>, 'digest' | 'used_at'> & {
  /** 1: the project token that it was made with was revoked together with its agents. */
  readonly is_ended: number;
};

/** Returns false if the agent was deleted. */
export async function releaseAgent(db: Kysely<Tables>, id: string, at: number): Promise<boolean> {
  const result = await db
    .updateTable('agents')
    .set({ released_at: at })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Agents of existing projects by the digests of their tokens. */
export async function listAgentsByTokenDigest(
  { engine, read }: Pick<Database, 'engine' | 'read'>,
  digests: readonly string[],
): Promise<(Pick<AgentRow, 'id' | 'project_id'> & AgentTokenState)[]> {
  return (
    read
      // A subquery of its own, so that no plan begins with the agents, as PostgreSQL may choose before ANALYZE.
      .with(
        (named) => named('found').materialized(),
        (db) =>
          db
            .selectFrom('agent_tokens')
            .select(['agent_id', 'digest', 'used_at', 'created_with'])
            .where(isAnyOf(engine, sql.ref('digest'), digests)),
      )
      .selectFrom('found')
      .innerJoin('agents', 'agents.id', 'found.agent_id')
      .innerJoin('projects', 'projects.id', 'agents.project_id')
      .leftJoin('project_tokens as maker', 'maker.id', 'found.created_with')
      .where('projects.deleted_at', 'is', null)
      .select(['agents.id', 'agents.project_id', 'found.digest', 'found.used_at'])
      .select(sql<number>`coalesce(maker.ends_agents, 0)`.as('is_ended'))
      .execute()
  );
}

/** Removes up to `limit` configurations of agents of deleted projects. */
export async function deleteConfigsOfDeletedProjects(database: Database, limit: number): Promise<number> {
  return deleteConfigs(
    database,
    sql`select agent_configs.agent_id, agent_configs.id
      from projects join agent_configs on agent_configs.project_id = projects.id
      where projects.deleted_at > 0
      limit ${limit}`,
  );
}

/** Removes up to `limit` configurations of the given agents. Returns their number. */
export async function deleteConfigsOfAgents(
  database: Database,
  agentIDs: readonly string[],
  limit: number,
): Promise<number> {
  return deleteConfigs(
    database,
    sql`select agent_id, id from agent_configs
      where ${isAnyID(database.engine, sql.ref('agent_id'), agentIDs)} limit ${limit}`,
  );
}

async function deleteConfigs({ engine, write }: Database, keys: RawBuilder<unknown>): Promise<number> {
  const due = sql`select agent_id, id from agent_configs where (agent_id, id) in (${keys})`;
  const result = await write
    .deleteFrom('agent_configs')
    .where(sql<boolean>`(agent_id, id) in (${engine === 'postgres' ? inLockOrder(due) : keys})`)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

export async function insertAgentConfig(
  db: Kysely<Tables>,
  row: Insertable<Tables['agent_configs']>,
): Promise<void> {
  await executeWithNext(db, db.insertInto('agent_configs').values(row));
}

/** Removes the configurations that an agent ran before the given epoch. */
export async function deleteOldAgentConfigs(
  db: Kysely<Tables>,
  agentID: string,
  oldestEpoch: number,
): Promise<void> {
  await db
    .deleteFrom('agent_configs')
    .where('agent_id', '=', agentID)
    .where('epoch', '<', oldestEpoch)
    .execute();
}

export async function findAgentConfig(
  db: Kysely<Tables>,
  agentID: string,
  id: string,
): Promise<AgentConfigRow | undefined> {
  return db
    .selectFrom('agent_configs')
    .selectAll()
    .where('agent_id', '=', agentID)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Maximum size of a page with more than one configuration: a hundred of the largest would exhaust the memory. */
const maxConfigBytes = 8 * 1024 * 1024;

export async function listAgentConfigs(
  db: Kysely<Tables>,
  agentID: string,
  page: Page,
): Promise<PageOf<AgentConfigRow>> {
  // By epoch, because of two concurrent configurations the one with the smaller id may be the later one.
  const ofAgent = db.selectFrom('agent_configs').where('agent_id', '=', agentID).orderBy('epoch', 'desc');
  let query = ofAgent.select(['id', sql<number>`octet_length(raw_config)`.as('bytes')]);
  const { before } = page;
  if (before !== undefined) {
    query = query.where('epoch', '<', (configs) =>
      configs
        .selectFrom('agent_configs')
        .select('epoch')
        .where('agent_id', '=', agentID)
        .where('id', '=', before),
    );
  }
  const sizes = await query.limit(page.limit + 1).execute();
  const { ids, hasNext } = takeFitting(sizes, page, maxConfigBytes);
  const rows = ids.length === 0 ? [] : await ofAgent.selectAll().where('id', 'in', ids).execute();
  return { rows, hasNext };
}
