import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Engine } from '../../database/migrations/column-types.ts';
import type { Tables } from '../../database/tables.ts';
import { containsText } from '../../database/text-matching.ts';

export type ErrorGroupRow = Selectable<Tables['agent_error_groups']>;

/** The errors that a list counts. `open`: current or superseded. */
export type ErrorState = 'current' | 'superseded' | 'open' | 'dismissed' | 'any';

export type ErrorGroupSort = 'lastSeen' | 'firstSeen' | 'agents' | 'occurrences';

export interface ErrorGroupFilter {
  readonly projectID: string;
  /** Only groups that have an error in this state. */
  readonly state: ErrorState;
  /** Only groups whose pattern or example contains this text. */
  readonly text: string | undefined;
  /** Only groups of which an agent in this fleet has an error in the state. */
  readonly fleetID: string | undefined;
  /** Only groups last seen at this time or later, in milliseconds. */
  readonly since: number | undefined;
  /** Only groups first seen before this time, in milliseconds. */
  readonly until: number | undefined;
}

/** The last group of the page before: its value of the sorted column, and its id. */
export interface ErrorGroupPosition {
  readonly value: number;
  readonly id: string;
}

/** A group with the numbers of its errors and agents in the requested state. */
export interface CountedErrorGroup extends ErrorGroupRow {
  readonly errors_count: number;
  readonly agents_count: number;
  /** The value of the column that the list is sorted by. */
  readonly position_value: number;
}

/** Groups in descending order, plus one if another page follows. The counts are those of the folder's last portion. */
export async function listErrorGroups(
  db: Kysely<Tables>,
  engine: Engine,
  filter: ErrorGroupFilter,
  sort: ErrorGroupSort,
  page: { readonly limit: number; readonly before: ErrorGroupPosition | undefined },
): Promise<CountedErrorGroup[]> {
  const { errors, agents } = countsOf[filter.state];
  const value = sort === 'agents' ? agents : sortColumns[sort];
  const conditions = [sql`project_id = ${filter.projectID}`, sql`${errors} > 0`];
  if (filter.text !== undefined) {
    const parts = [sql.ref<string>('pattern'), sql.ref<string>('example')];
    const contains = parts.map((part) => containsText(engine, part, filter.text ?? ''));
    conditions.push(sql`(${sql.join(contains, sql` or `)})`);
  }
  if (filter.fleetID !== undefined) conditions.push(isOfFleet(engine, filter, filter.fleetID));
  if (filter.since !== undefined) conditions.push(sql`last_seen_at >= ${filter.since}`);
  if (filter.until !== undefined) conditions.push(sql`first_seen_at < ${filter.until}`);
  if (page.before !== undefined) {
    const { value: last, id } = page.before;
    conditions.push(sql`(${value} < ${last} or (${value} = ${last} and id < ${id}))`);
  }
  const { rows } = await sql<CountedErrorGroup>`
    select agent_error_groups.*, ${errors} as errors_count, ${agents} as agents_count, ${value} as position_value
    from agent_error_groups
    where ${sql.join(conditions, sql` and `)}
    order by ${value} desc, id desc limit ${page.limit + 1}`.execute(db);
  return rows;
}

/** A group of a project that still exists. */
export async function findErrorGroup(db: Kysely<Tables>, id: string): Promise<ErrorGroupRow | undefined> {
  return db
    .selectFrom('agent_error_groups')
    .innerJoin('projects', 'projects.id', 'agent_error_groups.project_id')
    .where('projects.deleted_at', 'is', null)
    .where('agent_error_groups.id', '=', id)
    .selectAll('agent_error_groups')
    .executeTakeFirst();
}

export interface GroupAgentRow {
  readonly agent_id: string;
  readonly name: string;
  readonly current_errors: number;
  readonly superseded_errors: number;
  readonly dismissed_errors: number;
}

/** Agents that have such an error of a group, in the order of their ids (on SQLite, in which they reported first), from behind one of them. */
export async function listAgentsOfGroup(
  db: Kysely<Tables>,
  engine: Engine,
  groupID: string,
  state: ErrorState,
  page: { readonly limit: number; readonly before: string | undefined },
): Promise<GroupAgentRow[]> {
  const { errors } = countsOf[state];
  const columns = sql`current_errors, superseded_errors, dismissed_errors`;
  if (engine === 'sqlite') {
    const behind =
      page.before === undefined
        ? sql``
        : sql`and agent_key < (select key from id_keys where id = ${page.before})`;
    const { rows } = await sql<GroupAgentRow>`
      select agents.id as agent_id, agents.name, ${columns}
      from agent_error_group_agents as pair
      cross join id_keys on id_keys.key = pair.agent_key
      cross join agents on agents.id = id_keys.id
      where group_key = (select key from agent_error_groups where id = ${groupID}) and ${errors} > 0 ${behind}
      order by agent_key desc limit ${page.limit + 1}`.execute(db);
    return rows;
  }
  const behind = page.before === undefined ? sql`` : sql`and pair.agent_id < ${page.before}`;
  const { rows } = await sql<GroupAgentRow>`
    select pair.agent_id, agents.name, ${columns}
    from agent_error_group_agents as pair
    join agents on agents.id = pair.agent_id
    where pair.group_id = ${groupID} and ${errors} > 0 ${behind}
    order by pair.agent_id desc limit ${page.limit + 1}`.execute(db);
  return rows;
}

/** Of a group, and of a pair of a group and an agent. */
const openErrors = sql<number>`(current_errors + superseded_errors)`;

const countsOf: Readonly<
  Record<ErrorState, { readonly errors: RawBuilder<number>; readonly agents: RawBuilder<number> }>
> = {
  current: { errors: sql`current_errors`, agents: sql`current_agents` },
  superseded: { errors: sql`superseded_errors`, agents: sql`superseded_agents` },
  open: { errors: openErrors, agents: sql`open_agents` },
  dismissed: { errors: sql`dismissed_errors`, agents: sql`dismissed_agents` },
  any: { errors: sql`(current_errors + superseded_errors + dismissed_errors)`, agents: sql`agents` },
};

const sortColumns = {
  lastSeen: sql<number>`last_seen_at`,
  firstSeen: sql<number>`first_seen_at`,
  occurrences: sql<number>`occurrences`,
};

function isOfFleet(
  engine: Engine,
  { projectID, state }: ErrorGroupFilter,
  fleetID: string,
): RawBuilder<boolean> {
  const ofFleet = sql`agents.project_id = ${projectID} and agents.fleet_id = ${fleetID}`;
  const { errors } = countsOf[state];
  return engine === 'sqlite'
    ? sql`key in (
        select group_key from agent_error_group_agents
        where ${errors} > 0 and agent_key in (
          select id_keys.key from agents join id_keys on id_keys.id = agents.id where ${ofFleet}))`
    : sql`id in (
        select group_id from agent_error_group_agents
        where ${errors} > 0 and agent_id in (select agents.id from agents where ${ofFleet}))`;
}
