import { type Kysely, sql } from 'kysely';
import { firstPlaceAtSql } from '../../../foundation/database/id-place.ts';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../../foundation/database/tables.ts';

/** A mute that has to end before its time. */
export interface DueMute {
  readonly id: string;
  readonly projectID: string;
  readonly pattern: string;
  /** Milliseconds. */
  readonly until: number;
  readonly mutedAt: number;
  readonly reason: string;
  /** Why it ends. */
  readonly why: 'configuration' | 'agents';
}

/** Whether a group is muted with a condition. Few are. */
export async function hasEndingMutes(db: Kysely<Tables>, now: number): Promise<boolean> {
  const { rows } = await sql`select 1 from agent_error_groups where ${isEnding(now)} limit 1`.execute(db);
  return rows.length > 0;
}

/** Mutes whose condition has come about, in projects that exist and do not move. */
export async function listDueMutes(
  db: Kysely<Tables>,
  engine: Engine,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<DueMute[]> {
  const hasReturned = engine === 'sqlite' ? returnedOnSqlite : returnedOnPostgres;
  const { rows } = await sql<DueMute>`
    select id, project_id as "projectID", pattern, muted_until as "until", muted_at as "mutedAt",
      mute_reason as "reason",
      case when agents >= mute_ends_at_agents then 'agents' else 'configuration' end as why
    from agent_error_groups as muted
    where ${isEnding(now)} and pattern <> ''
      and exists (select 1 from projects where projects.id = muted.project_id and projects.deleted_at is null)
      and (agents >= mute_ends_at_agents or (mute_ends_with_config = 1 and ${hasReturned}))
    limit ${limit}`.execute(db);
  return rows;
}

function isEnding(now: number) {
  return sql`muted_until > ${now} and (mute_ends_with_config is not null or mute_ends_at_agents is not null)`;
}

/** An error of the configuration that its agent has now, and got after the mute. */
const returnedOnSqlite = sql`exists (
  select 1 from agent_error_rows as errors indexed by agent_error_rows_by_group
  cross join id_keys on id_keys.key = errors.agent_key
  cross join agents on agents.id = id_keys.id and agents.epoch = errors.epoch
  cross join agent_configs on agent_configs.agent_id = agents.id and agent_configs.id = agents.config_id
  where errors.error_group = muted.key and errors.place >= ${sql.raw(firstPlaceAtSql('muted.muted_at'))}
    and agent_configs.created_at >= muted.muted_at)`;

const returnedOnPostgres = sql`exists (
  select 1 from agent_errors as errors
  join agents on agents.id = errors.agent_id and agents.epoch = errors.epoch
  join agent_configs on agent_configs.agent_id = agents.id and agent_configs.id = agents.config_id
  where errors.group_id = muted.id and errors.created_at >= muted.muted_at
    and agent_configs.created_at >= muted.muted_at)`;
