import {
  arrayLiteral,
  bytesArrayLiteral,
  textArrayLiteral,
} from '../../foundation/database/postgres/array-literal.ts';
import type { PostgresPool } from '../../foundation/database/postgres/postgres-pool.ts';
import type { DigestedReport } from '../report.ts';

/** What statements are given of reports. */
export const reportColumns = [
  'id',
  'agent_id',
  'project_id',
  'error',
  'error_digest',
  'created_at',
  'generation',
  'group_id',
] as const;

/** For `unnest`. */
export const reportArraysSql =
  '$1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::bytea[], $6::bigint[], $7::bigint[], $8::uuid[]';

/**
 * The agent of a report. The last condition is true of every agent, and its second half is never evaluated: it only looks expensive, so that PostgreSQL
 * reads also a small table by its index. To compare each report with 200 agents made storing it almost twice as expensive.
 */
export const agentOfInputSql = `
      select agents.id, agents.epoch, agents.config_id, agents.deleted_at from agents
      where agents.id = input.agent_id and agents.project_id = input.project_id
        and coalesce(agents.epoch > 0, to_tsvector(agents.name) is null)
      limit 1`;

/**
 * Stores reports that are probably new and certainly within their limits. Returns the ids of the stored ones. The reason for all others is unknown:
 * an equal error is open, the agent was deleted, or the credential must be checked again.
 *
 * `live` holds the agents' rows until the commit, as the full statement does. Rows go in sorted by key, so that
 * replicas that insert the same ones wait for each other in one direction.
 *
 * The conflict names no index: the ignore rule and the key may both refuse a row.
 */
const insertSql = `
  with live as materialized (
    select input.*, agent.epoch, agent.config_id
    from unnest(${reportArraysSql}) as input (${reportColumns.join()})
    join credential_changes on credential_changes.generation = input.generation
    join lateral (${agentOfInputSql}
      for key share) as agent on agent.deleted_at is null
  ), inserted as (
    insert into agent_errors (
      agent_id, id, project_id, error, error_digest, epoch, config_id, created_at, occurrences, last_seen_at,
      group_id
    )
    select agent_id, id, project_id, error, error_digest, epoch, config_id, created_at, 1, created_at, group_id
    from live
    order by agent_id, error_digest
    on conflict do nothing
    returning id
  )
  select count(*)::integer as count, case when count(*) < cardinality($1) then array_agg(id) end as ids
  from inserted`;

type InsertedRow = {
  readonly count: number;
  /** Null if all were stored, so that nearly always nobody writes and reads them; also if none was. */
  readonly ids: readonly string[] | null;
};

export async function insertNewReports(
  pool: PostgresPool,
  reports: readonly DigestedReport[],
): Promise<ReadonlySet<string>> {
  const [row] = await pool.query<InsertedRow>(insertSql, reportArrays(reports), 'insert-new-reports');
  const hasAll = row?.count === reports.length;
  return new Set(hasAll ? reports.map(({ id }) => id) : row?.ids);
}

/** The same as one array for each column. */
export function reportArrays(reports: readonly DigestedReport[]): unknown[] {
  return [
    arrayLiteral(reports.map(({ id }) => id)),
    arrayLiteral(reports.map(({ agentID }) => agentID)),
    arrayLiteral(reports.map(({ projectID }) => projectID)),
    textArrayLiteral(reports.map(({ error }) => error)),
    bytesArrayLiteral(reports.map(({ digest }) => digest)),
    arrayLiteral(reports.map(({ createdAt }) => createdAt)),
    arrayLiteral(reports.map(({ generation }) => generation)),
    arrayLiteral(reports.map(({ groupID }) => groupID)),
  ];
}
