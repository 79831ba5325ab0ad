import { type Kysely, type RawBuilder, sql } from 'kysely';
import { minIDAt } from '../../foundation/clock.ts';
import { firstPlaceAt } from '../../foundation/database/id-place.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';

/** The agent whose error was the first of a group, or the first since it came back, with its configuration. */
export interface FirstOfGroup {
  readonly agentID: string;
  readonly agentName: string;
  readonly configID: string;
  /** Milliseconds. */
  readonly configuredAt: number;
  readonly textDigest: string;
}

/** Undefined: the configuration is no longer stored, or its agent has no error of the group any more. */
export async function findFirstOfGroup(
  db: Kysely<Tables>,
  engine: Engine,
  groupID: string,
  configID: string,
): Promise<FirstOfGroup | undefined> {
  const { rows } = await sql<FirstOfGroup>`
    select agents.id as "agentID", agents.name as "agentName", agent_configs.id as "configID",
      agent_configs.created_at as "configuredAt", agent_configs.text_digest as "textDigest"
    from ${agentsOfGroup(engine, groupID)}
      ${join(engine)} agent_configs on agent_configs.agent_id = agents.id and agent_configs.id = ${configID}
    where agents.deleted_at is null
    limit 1`.execute(db);
  return rows[0];
}

/**
 * The agent that was the first to report a group since then, of those that have it still, with the configuration that it has now. Undefined: none has
 * it that has sent a configuration.
 *
 * @param since milliseconds
 */
export async function findFirstOfGroupSince(
  db: Kysely<Tables>,
  engine: Engine,
  groupID: string,
  since: number,
): Promise<FirstOfGroup | undefined> {
  const errors =
    engine === 'sqlite'
      ? sql`agent_error_rows as errors indexed by agent_error_rows_by_group
          cross join id_keys on id_keys.key = errors.agent_key
          cross join agents on agents.id = id_keys.id`
      : sql`agent_errors as errors join agents on agents.id = errors.agent_id`;
  const isOfGroup =
    engine === 'sqlite'
      ? sql`errors.error_group = (select key from agent_error_groups where id = ${groupID})
          and errors.place >= ${firstPlaceAt(since)}`
      : sql`errors.group_id = ${groupID} and errors.id >= ${minIDAt(since)}`;
  const order = sql.raw(engine === 'sqlite' ? 'errors.place' : 'errors.id');
  const { rows } = await sql<FirstOfGroup>`
    select agents.id as "agentID", agents.name as "agentName", agent_configs.id as "configID",
      agent_configs.created_at as "configuredAt", agent_configs.text_digest as "textDigest"
    from ${errors}
      ${join(engine)} agent_configs on agent_configs.agent_id = agents.id and agent_configs.id = agents.config_id
    where ${isOfGroup} and errors.dismissed_at is null and errors.superseded_at is null
      and errors.epoch = agents.epoch and agents.deleted_at is null
    order by ${order}
    limit 1`.execute(db);
  return rows[0];
}

/** Agents with open errors of a group and of the configuration that they have now. */
export interface AffectedAgents {
  readonly affected: number;
  /** Those that have a configuration with this text. */
  readonly configured: number;
  /** Those that are in a fleet. */
  readonly inFleets: number;
  /** The first and the last fleet of them. */
  readonly firstFleet: string | null;
  readonly lastFleet: string | null;
}

/** @param textDigest undefined: no configuration is known, so that no agent has it */
export async function countAffectedAgents(
  db: Kysely<Tables>,
  engine: Engine,
  groupID: string,
  textDigest: string | undefined,
): Promise<AffectedAgents> {
  const { rows } = await sql<AffectedAgents>`
    select count(*) as affected, count(${isConfigured(textDigest)}) as configured,
      count(agents.fleet_id) as "inFleets", min(agents.fleet_id) as "firstFleet", max(agents.fleet_id) as "lastFleet"
    from ${agentsOfGroup(engine, groupID)}
    where pairs.current_errors > 0 and agents.deleted_at is null`.execute(db);
  const [counts] = rows;
  if (counts === undefined) throw new Error('a count without a row');
  return counts;
}

/** All agents of a project that have a configuration with this text now. */
export async function countConfiguredAgents(
  db: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  textDigest: string,
): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`
    select count(*) as count from agent_configs
      ${join(engine)} agents on agents.id = agent_configs.agent_id and agents.config_id = agent_configs.id
    where agent_configs.project_id = ${projectID} and agent_configs.text_digest = ${textDigest}
      and agents.deleted_at is null`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Null, which is not counted, for agents with another configuration. */
function isConfigured(textDigest: string | undefined): RawBuilder<unknown> {
  if (textDigest === undefined) return sql`null`;
  return sql`(select 1 from agent_configs where agent_configs.agent_id = agents.id
    and agent_configs.id = agents.config_id and agent_configs.text_digest = ${textDigest})`;
}

function agentsOfGroup(engine: Engine, groupID: string): RawBuilder<unknown> {
  return engine === 'sqlite'
    ? sql`(select agent_key, current_errors from agent_error_group_agents
        where group_key = (select key from agent_error_groups where id = ${groupID})) as pairs
      cross join id_keys on id_keys.key = pairs.agent_key
      cross join agents on agents.id = id_keys.id`
    : sql`(select agent_id, current_errors from agent_error_group_agents where group_id = ${groupID}) as pairs
      join agents on agents.id = pairs.agent_id`;
}

/** SQLite keeps the order of a cross join: from the few pairs to the many configurations, and from the configurations with a text to their agents. */
function join(engine: Engine): RawBuilder<unknown> {
  return engine === 'sqlite' ? sql`cross join` : sql`join`;
}
