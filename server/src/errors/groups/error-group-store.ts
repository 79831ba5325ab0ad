import type { AgentErrorGroupSort } from '@muster/contract';
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import { isAnyID } from '../../foundation/database/is-any-id.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { containsText } from '../../foundation/database/text-matching.ts';

type ErrorGroupRow = Selectable<Tables['agent_error_groups']>;

/** The errors that a list counts. `open`: current or superseded. */
export type ErrorState = 'current' | 'superseded' | 'open' | 'dismissed' | 'any';

export interface ErrorGroupFilter {
  readonly projectID: string;
  /** Only groups that have an error in this state. */
  readonly state: ErrorState;
  /** Only groups whose pattern or example contains this text. */
  readonly text: string | undefined;
  /** Only groups last seen at this time or later, in milliseconds. */
  readonly since: number | undefined;
  /** Only groups first seen before this time, in milliseconds. */
  readonly until: number | undefined;
  /** Only groups that are muted at this time, in milliseconds, or only those that are not. Absent: both. */
  readonly muted?: { readonly is: boolean; readonly at: number } | undefined;
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

/** Groups in descending order, plus one if another page follows. The counts are those of the counter's last portion. */
export async function listErrorGroups(
  db: Kysely<Tables>,
  engine: Engine,
  filter: ErrorGroupFilter,
  sort: AgentErrorGroupSort,
  page: { readonly limit: number; readonly before: ErrorGroupPosition | undefined },
): Promise<CountedErrorGroup[]> {
  const { errors, agents } = countsOf[filter.state];
  const value = sort === 'agents' ? agents : sortColumns[sort];
  const conditions = [sql`project_id = ${filter.projectID}`, sql`${errors} > 0`, sql`pattern <> ''`];
  if (filter.text !== undefined) {
    const parts = [sql.ref<string>('pattern'), sql.ref<string>('example')];
    const contains = parts.map((part) => containsText(engine, part, filter.text ?? ''));
    conditions.push(sql`(${sql.join(contains, sql` or `)})`);
  }
  if (filter.since !== undefined) conditions.push(sql`last_seen_at >= ${filter.since}`);
  if (filter.until !== undefined) conditions.push(sql`first_seen_at < ${filter.until}`);
  if (filter.muted !== undefined) {
    const isMuted = sql`coalesce(muted_until, 0) > ${filter.muted.at}`;
    conditions.push(filter.muted.is ? isMuted : sql`not ${isMuted}`);
  }
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

/** The groups with these ids of a project, with their open and current errors. */
export async function findErrorGroups(
  db: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  ids: readonly string[],
): Promise<readonly CountedErrorGroup[]> {
  const { errors, agents } = countsOf.current;
  const { rows } = await sql<CountedErrorGroup>`
    select agent_error_groups.*, ${errors} as errors_count, ${agents} as agents_count, last_seen_at as position_value
    from agent_error_groups
    where project_id = ${projectID} and ${isAnyID(engine, sql.ref('id'), ids)} and pattern <> ''
    order by id`.execute(db);
  return rows;
}

/** A group of a project that still exists, with its open and current errors. */
export async function findErrorGroup(db: Kysely<Tables>, id: string): Promise<CountedErrorGroup | undefined> {
  const { errors, agents } = countsOf.current;
  const { rows } = await sql<CountedErrorGroup>`
    select agent_error_groups.*, ${errors} as errors_count, ${agents} as agents_count, last_seen_at as position_value
    from agent_error_groups
    where id = ${id} and pattern <> ''
      and project_id in (select projects.id from projects where projects.deleted_at is null)`.execute(db);
  return rows[0];
}

/** Of a group, and of a pair of a group and an agent. */
const openErrors = sql<number>`(current_errors + superseded_errors)`;

export const countsOf: Readonly<
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
