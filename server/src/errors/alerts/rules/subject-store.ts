import { reachableSince } from '@muster/contract';
import { type Kysely, type Selectable, sql } from 'kysely';
import { minIDAt } from '../../../foundation/clock.ts';
import { firstPlaceAt } from '../../../foundation/database/id-place.ts';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { Rule } from './rule-conditions.ts';

/** An event that rules look at. */
export interface WatchedEvent {
  readonly sequence: number;
  readonly type: string;
  /** JSON. */
  readonly data: string;
  readonly created_at: number;
}

/** The types of events that start an alert. */
const watchedEvents = [
  'agent_error.created',
  'agent_error_group.new',
  'agent_error_group.regressed',
  'token.created',
  'token.updated',
  'member.added',
  'rollout.stopped',
  'rollout.paused',
  'rollout.waiting',
] as const;

export async function listEvents(
  db: Kysely<Tables>,
  projectID: string,
  page: { readonly after: number; readonly through: number },
): Promise<WatchedEvent[]> {
  const { rows } = await sql<WatchedEvent>`
    select sequence, type, data, created_at from events
    where project_id = ${projectID} and sequence > ${page.after} and sequence <= ${page.through}
      and type in (${sql.join([...watchedEvents])})
    order by sequence`.execute(db);
  return rows;
}

/** A group of errors, as far as rules need it. */
export type WatchedGroup = Pick<
  Selectable<Tables['agent_error_groups']>,
  | 'id'
  | 'pattern'
  | 'example'
  | 'first_config_id'
  | 'first_seen_at'
  | 'muted_until'
  | 'current_errors'
  | 'current_agents'
>;

const groupColumns = [
  'id',
  'pattern',
  'example',
  'first_config_id',
  'first_seen_at',
  'muted_until',
  'current_errors',
  'current_agents',
] as const;

const portionSize = 200;

export async function readGroups(
  db: Kysely<Tables>,
  ids: readonly string[],
): Promise<Map<string, WatchedGroup>> {
  const found = new Map<string, WatchedGroup>();
  for (let start = 0; start < ids.length; start += portionSize) {
    const rows = await db
      .selectFrom('agent_error_groups')
      .select(groupColumns)
      .where('id', 'in', ids.slice(start, start + portionSize))
      .execute();
    for (const row of rows) found.set(row.id, row);
  }
  return found;
}

/** How many agents have open errors of each group that were created at this time or later. */
export async function countAgentsSince(
  db: Kysely<Tables>,
  engine: Engine,
  groupIDs: readonly string[],
  since: number,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let start = 0; start < groupIDs.length; start += portionSize) {
    const ids = groupIDs.slice(start, start + portionSize);
    const query =
      engine === 'sqlite'
        ? sql<{ id: string; agents: number }>`
          select error_groups.id, count(distinct agent_key) as agents
          from agent_error_groups as error_groups
          join agent_error_rows on agent_error_rows.error_group = error_groups.key
          where error_groups.id in (${sql.join(ids)}) and place >= ${firstPlaceAt(since)}
            and agent_error_rows.dismissed_at is null
          group by error_groups.id`
        : sql<{ id: string; agents: number }>`
          select group_id as id, count(distinct agent_id) as agents from agent_errors
          where group_id in (${sql.join(ids)}) and id >= ${minIDAt(since)} and dismissed_at is null
          group by group_id`;
    const { rows } = await query.execute(db);
    for (const { id, agents } of rows) found.set(id, Number(agents));
  }
  return found;
}

/** The state of the groups of open alerts of these rules. A group that no longer exists has no counts. */
export async function listOpenGroupAlerts(db: Kysely<Tables>, projectID: string, ruleIDs: readonly string[]) {
  if (ruleIDs.length === 0) return [];
  return db
    .selectFrom('alerts')
    .leftJoin('agent_error_groups as of_errors', 'of_errors.id', 'alerts.subject')
    .where('alerts.project_id', '=', projectID)
    .where('alerts.is_open', '=', 1)
    .where('alerts.rule_id', 'in', [...ruleIDs])
    .select([
      'alerts.id',
      'alerts.rule_id',
      'of_errors.current_errors',
      'of_errors.current_agents',
      'of_errors.muted_until',
    ])
    .execute();
}

export interface FleetCounts {
  readonly agents: number;
  readonly offline: number;
}

export async function readFleetCounts(db: Kysely<Tables>, projectID: string): Promise<FleetCounts> {
  const { rows } = await sql<FleetCounts>`
    select healthy_agents + unhealthy_agents + offline_agents + stopped_agents + unknown_agents as agents,
      offline_agents as offline
    from project_counts where project_id = ${projectID}`.execute(db);
  return rows[0] ?? { agents: 0, offline: 0 };
}

export interface WatchedSite {
  readonly id: string;
  readonly name: string;
  readonly last_contact_at: number;
  /** For which it was the last to speak. */
  readonly agents: number;
}

/** Core instances that are not heard, although the service listens: it was noted that they were missed, and they were not heard again. */
export async function listUnreachableSites(
  db: Kysely<Tables>,
  projectID: string,
  now: number,
): Promise<WatchedSite[]> {
  const { rows } = await sql<WatchedSite>`
    select id, name, last_contact_at, (
      select count(*) from agent_signs
      where agent_signs.project_id = sites.project_id and core_instance_id = sites.id) as agents
    from core_instances as sites
    where project_id = ${projectID} and deleted_at is null
      and missed_contact_at >= last_contact_at and last_contact_at < ${reachableSince(now)}
    order by id`.execute(db);
  return rows.map((row) => ({ ...row, agents: Number(row.agents) }));
}

export type WatchedToken = Pick<
  Selectable<Tables['project_tokens']>,
  'id' | 'name' | 'permissions' | 'expires_at' | 'last_used_at' | 'revoked_at' | 'created_by_name'
>;

const tokenColumns = [
  'id',
  'name',
  'permissions',
  'expires_at',
  'last_used_at',
  'revoked_at',
  'created_by_name',
] as const;

export async function readTokens(
  db: Kysely<Tables>,
  projectID: string,
  ids: readonly string[],
): Promise<WatchedToken[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('project_tokens')
    .select(tokenColumns)
    .where('project_id', '=', projectID)
    .where('id', 'in', [...ids])
    .execute();
}

interface WatchedTime {
  readonly now: number;
  readonly before: number;
}

/** It is valid, and expires before a time. */
function isExpiring(projectID: string, { now, before }: WatchedTime) {
  return sql<boolean>`project_tokens.project_id = ${projectID} and revoked_at is null and expires_at > ${now} and expires_at <= ${before}`;
}

/** Tokens that expire, and for which the rule has no open alert: the ones that expire first. */
export async function listExpiringTokens(
  db: Kysely<Tables>,
  rule: Pick<Rule, 'id' | 'projectID'>,
  time: WatchedTime,
): Promise<WatchedToken[]> {
  return db
    .selectFrom('project_tokens')
    .where(isExpiring(rule.projectID, time))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('alerts')
            .select('alerts.id')
            .where('rule_id', '=', rule.id)
            .whereRef('subject', '=', 'project_tokens.id')
            .where('is_open', '=', 1),
        ),
      ),
    )
    .select(tokenColumns)
    .orderBy('expires_at')
    .limit(1_000)
    .execute();
}

/** The open alerts of the rule whose token was extended or revoked, or has expired. */
export async function listEndedTokenAlerts(
  db: Kysely<Tables>,
  rule: Pick<Rule, 'id' | 'projectID'>,
  time: WatchedTime,
): Promise<string[]> {
  const rows = await db
    .selectFrom('alerts')
    .select('alerts.id')
    .where('rule_id', '=', rule.id)
    .where('is_open', '=', 1)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('project_tokens')
            .select('project_tokens.id')
            .whereRef('project_tokens.id', '=', 'alerts.subject')
            .where(isExpiring(rule.projectID, time)),
        ),
      ),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** The subjects of open alerts of a rule. */
export async function listOpenSubjects(
  db: Kysely<Tables>,
  ruleID: string,
): Promise<{ readonly id: string; readonly subject: string }[]> {
  return db
    .selectFrom('alerts')
    .select(['id', 'subject'])
    .where('rule_id', '=', ruleID)
    .where('is_open', '=', 1)
    .execute();
}
