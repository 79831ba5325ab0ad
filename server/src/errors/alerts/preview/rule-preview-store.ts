import { type Kysely, sql } from 'kysely';
import { minIDAt } from '../../../foundation/clock.ts';
import { firstPlaceAt, timeAtPlaceSql } from '../../../foundation/database/id-place.ts';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { StoppedRollout } from '../rules/describe-alert.ts';
import type { WatchedToken } from '../rules/subject-store.ts';

/** A group as it is known now. */
export interface PastGroup {
  readonly id: string;
  /** Milliseconds: when it was new, or came back. */
  readonly at: number;
  /** Agents with errors of the group that are stored now, open or dismissed. */
  readonly agents: number;
}

/** Groups that were new in a time, oldest first. */
export async function listNewGroups(
  db: Kysely<Tables>,
  projectID: string,
  { since, until }: { readonly since: number; readonly until: number },
): Promise<PastGroup[]> {
  const { rows } = await sql<PastGroup>`
    select id, first_seen_at as at, agents from agent_error_groups
    where project_id = ${projectID} and first_seen_at >= ${since} and first_seen_at < ${until}
    order by first_seen_at, id`.execute(db);
  return rows;
}

/** Groups that came back in a time and were not dismissed since, oldest first. */
export async function listRegressedGroups(
  db: Kysely<Tables>,
  projectID: string,
  since: number,
): Promise<PastGroup[]> {
  // A group that came back was seen then, so the index leads to it.
  const { rows } = await sql<PastGroup>`
    select id, regressed_at as at, agents from agent_error_groups
    where project_id = ${projectID} and last_seen_at >= ${since} and regressed_at >= ${since}
    order by regressed_at, id`.execute(db);
  return rows;
}

/** Groups that were seen since a time on so many agents, those that were seen last first. */
export async function listWideGroups(
  db: Kysely<Tables>,
  projectID: string,
  { since, agents }: { readonly since: number; readonly agents: number },
): Promise<PastGroup[]> {
  const { rows } = await sql<PastGroup>`
    select id, last_seen_at as at, agents from agent_error_groups
    where project_id = ${projectID} and last_seen_at >= ${since} and agents >= ${agents}
    order by last_seen_at desc, id`.execute(db);
  return rows;
}

/** The creation of an error. */
export interface CreatedError {
  /** Tells agents from one another. */
  readonly agent: string | number;
  /** Milliseconds. */
  readonly at: number;
}

/** When errors of a group were created since a time, and by which agents: the newest `limit` of them, newest first. */
export async function listCreatedErrors(
  db: Kysely<Tables>,
  engine: Engine,
  groupID: string,
  since: number,
  limit: number,
): Promise<CreatedError[]> {
  const query =
    engine === 'sqlite'
      ? sql<CreatedError>`
        select agent_key as agent, ${sql.raw(timeAtPlaceSql)} as at
        from agent_error_rows indexed by agent_error_rows_by_group
        where error_group = (select key from agent_error_groups where id = ${groupID})
          and place >= ${firstPlaceAt(since)}
        order by place desc limit ${limit}`
      : sql<CreatedError>`
        select agent_id as agent, created_at as at from agent_errors
        where group_id = ${groupID} and id >= ${minIDAt(since)}
        order by id desc limit ${limit}`;
  const { rows } = await query.execute(db);
  return rows;
}

export type PastToken = WatchedToken & { readonly created_at: number };

/** Tokens that were created in a time or expire in it, also revoked ones. */
export async function listTokens(
  db: Kysely<Tables>,
  projectID: string,
  {
    column,
    since,
    until,
  }: {
    readonly column: 'created_at' | 'expires_at';
    readonly since: number;
    readonly until: number;
  },
): Promise<PastToken[]> {
  return db
    .selectFrom('project_tokens')
    .select([
      'id',
      'name',
      'permissions',
      'created_at',
      'expires_at',
      'last_used_at',
      'revoked_at',
      'created_by_name',
    ])
    .where('project_id', '=', projectID)
    .where(column, '>=', since)
    .where(column, '<', until)
    .orderBy(column)
    .orderBy('id')
    .limit(10_000)
    .execute();
}

/** Members since a time, oldest first. */
export async function listMembersSince(db: Kysely<Tables>, projectID: string, since: number) {
  return db
    .selectFrom('project_members')
    .innerJoin('users', 'users.id', 'project_members.user_id')
    .select(['user_id', 'users.name', 'role', 'project_members.created_at'])
    .where('project_id', '=', projectID)
    .where('project_members.created_at', '>=', since)
    .orderBy('project_members.created_at')
    .orderBy('user_id')
    .limit(10_000)
    .execute();
}

/** Rollouts that stopped by themselves in a time, oldest first. */
export async function listStoppedRollouts(
  db: Kysely<Tables>,
  projectID: string,
  { since, until }: { readonly since: number; readonly until: number },
): Promise<(StoppedRollout & { readonly at: number })[]> {
  const rows = await db
    .selectFrom('rollouts')
    .innerJoin('fleets', 'fleets.id', 'rollouts.fleet_id')
    .innerJoin('fleet_versions', 'fleet_versions.id', 'rollouts.to_version_id')
    .select([
      'rollouts.id as rolloutID',
      'rollouts.fleet_id as fleetID',
      'fleets.name',
      'fleet_versions.number as version',
      'verdict',
      // A rollout that stops begins its last stage then.
      'stage_started_at as at',
    ])
    .where('rollouts.project_id', '=', projectID)
    .where('state', 'in', ['stopped', 'reverting', 'reverted'])
    .where('stage_started_at', '>=', since)
    .where('stage_started_at', '<', until)
    .orderBy('stage_started_at')
    .orderBy('rollouts.id')
    .limit(10_000)
    .execute();
  return rows.flatMap(({ verdict, ...rollout }) => {
    const { rule: reason } = JSON.parse(verdict ?? '{"rule":"person"}') as { rule: string }; // written by the service alone
    return reason === 'person' ? [] : [{ ...rollout, reason }];
  });
}
