import { type RawBuilder, sql } from 'kysely';

interface ErrorsOfAgent {
  readonly agentID: string;
  readonly columns: RawBuilder<unknown>;
  /** Undefined: both. */
  readonly dismissed?: boolean | undefined;
  /** Errors with lesser ids alone. */
  readonly before?: string | undefined;
  readonly condition?: RawBuilder<boolean> | undefined;
  /** How many of the newest are needed. */
  readonly limit: number;
}

export const greatestID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
export const leastID = '00000000-0000-0000-0000-000000000000';

/** Compares the epochs: the mark of superseded errors may come later than the configuration. */
export function isCurrent(current: boolean | undefined, errors = 'agent_errors'): RawBuilder<boolean> {
  if (current === undefined) return sql<boolean>`true`;
  const epoch = sql.ref(`${errors}.epoch`);
  return current
    ? sql<boolean>`${epoch} = ${epochOfAgent(errors)}`
    : sql<boolean>`${epoch} <> ${epochOfAgent(errors)}`;
}

/** Of the agent of an error. Null: it is gone. */
export function epochOfAgent(errors = 'agent_errors'): RawBuilder<number | null> {
  return sql<
    number | null
  >`(select own.epoch from agents as own where own.id = ${sql.ref(`${errors}.agent_id`)})`;
}

export function isInFleet(projectID: string, fleetID: string): RawBuilder<boolean> {
  return sql<boolean>`agent_id in (select id from agents where project_id = ${projectID} and fleet_id = ${fleetID})`;
}

/**
 * The errors of an agent on PostgreSQL, unsorted, of which the newest are certainly there. No index has them all: the open ones
 * are in the index of the ignore rule and are all read, as many as the limit on open errors allows; of the dismissed ones, the
 * newest are.
 *
 * Written so that no statistics make a walk through all errors by their ids look better: `materialized` keeps the
 * order of the list from the first part, and the second one compares agent and id together.
 */
export function errorsOfAgentSql(errors: ErrorsOfAgent): RawBuilder<unknown> {
  const { dismissed } = errors;
  if (dismissed === undefined) return sql`${openErrorsSql(errors)} union all (${dismissedErrorsSql(errors)})`;
  return dismissed ? dismissedErrorsSql(errors) : openErrorsSql(errors);
}

function openErrorsSql({
  agentID,
  columns,
  before = greatestID,
  condition,
}: ErrorsOfAgent): RawBuilder<unknown> {
  return sql`
    select * from (
      with open_errors as materialized (
        select ${columns} from agent_errors
        where agent_id = ${agentID} and dismissed_at is null
          and (agent_id, id) < (${agentID}::uuid, ${before}::uuid) and ${condition ?? sql`true`}
      ) select * from open_errors) as open_ones`;
}

function dismissedErrorsSql(errors: ErrorsOfAgent): RawBuilder<unknown> {
  const { agentID, columns, before = greatestID, condition, limit } = errors;
  return sql`
    select ${columns} from agent_errors
    where dismissed_at is not null and ${condition ?? sql`true`}
      and (agent_id, id) >= (${agentID}::uuid, ${leastID}::uuid)
      and (agent_id, id) < (${agentID}::uuid, ${before}::uuid)
    order by agent_id desc, id desc
    limit ${limit}`;
}
