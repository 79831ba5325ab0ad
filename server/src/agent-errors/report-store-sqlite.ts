import { leastIDAt } from '../clock.ts';
import type { SqliteRow, SqliteValue } from '../database/sqlite/sqlite-messages.ts';
import type { SqliteThreads } from '../database/sqlite/sqlite-threads.ts';
import type { NewErrorLimits } from './agent-error.ts';
import type { Report, ReportOutcome, StoreReports } from './report.ts';

/**
 * The ignore rule on SQLite: an insert for each report, which the unique index on open errors may turn down; then
 * the error that it has run into. All reports of a batch share one transaction, and the writer runs one
 * transaction at a time, so that each statement sees what the one before has stored.
 */
export function createSqliteReportStore(threads: SqliteThreads, limits: NewErrorLimits): StoreReports {
  return async (reports) => {
    const results = await threads.rows({
      sql: insertSql,
      rows: toRows(reports, limits),
      otherwise: { sql: selectStandingSql, parameterCount: 3 },
    });
    const outcomes = reports.map((report, index) => toOutcome(report, results[index]?.rows[0]));
    return explainUnstored(threads, limits, reports, outcomes);
  };
}

const minuteMilliseconds = 60_000;
const secondMilliseconds = 1_000;

/**
 * 0 stands for no limit; counting stops at the limit. An interval has one of its two ends, so that who waits as
 * long as `Retry-After` says is let in.
 */
const insertSql = `
  insert into agent_errors (
    agent_id, id, project_id, error, error_digest, epoch, config_id, created_at, occurrences, last_seen_at
  )
  select agents.id, ?4, agents.project_id, ?5, ?3, agents.epoch, agents.config_id, ?6, 1, ?6
  from agents
  where agents.id = ?1 and agents.project_id = ?2 and agents.deleted_at is null
    and (?7 = 0 or ?7 > (select count(*) from (
      select 1 from agent_errors where agent_id = ?1 and dismissed_at is null limit ?7)))
    and (?8 = 0 or ?8 > (select count(*) from (
      select 1 from agent_errors where agent_id = ?1 and id >= ?9 limit ?8)))
    and (?10 = 0 or ?10 > (select count(*) from (
      select 1 from agent_errors where project_id = ?2 and id >= ?11 limit ?10)))
  on conflict (agent_id, epoch, error_digest) where dismissed_at is null do nothing
  returning id, created_at`;

const selectStandingSql = `
  select agent_errors.id, agent_errors.created_at
  from agents
  join agent_errors on agent_errors.agent_id = agents.id
    and agent_errors.epoch = agents.epoch
    and agent_errors.error_digest = ?3
    and agent_errors.dismissed_at is null
  where agents.id = ?1 and agents.project_id = ?2 and agents.deleted_at is null`;

const explainSql = `
  select
    agents.deleted_at,
    (select count(*) from (
      select 1 from agent_errors where agent_id = ?1 and dismissed_at is null limit ?3)) as open_count,
    (select count(*) from (
      select 1 from agent_errors where agent_id = ?1 and id >= ?4 limit ?5)) as new_of_agent
  from agents
  where agents.id = ?1 and agents.project_id = ?2`;

function toRows(reports: readonly Report[], limits: NewErrorLimits): SqliteValue[][] {
  const { openPerAgent, newPerAgentPerMinute, newPerProjectPerSecond } = limits;
  return reports.map((report) => [
    report.agentID,
    report.projectID,
    report.digest,
    report.id,
    report.error,
    report.createdAt,
    openPerAgent,
    newPerAgentPerMinute,
    // Made for the limits that are in force alone: an id costs more than the rest of a row.
    newPerAgentPerMinute === 0 ? null : leastIDAt(report.createdAt - minuteMilliseconds + 1),
    newPerProjectPerSecond,
    newPerProjectPerSecond === 0 ? null : leastIDAt(report.createdAt - secondMilliseconds + 1),
  ]);
}

function toOutcome(report: Report, row: SqliteRow | undefined): ReportOutcome | undefined {
  if (row === undefined) return undefined;
  const id = textOf(row.id);
  return { kind: id === report.id ? 'created' : 'ignored', id, createdAt: Number(row.created_at) };
}

/** Says of each report for which no error stands why that is so. */
async function explainUnstored(
  threads: SqliteThreads,
  limits: NewErrorLimits,
  reports: readonly Report[],
  outcomes: readonly (ReportOutcome | undefined)[],
): Promise<ReportOutcome[]> {
  return Promise.all(
    reports.map(async (report, index) => outcomes[index] ?? (await explain(threads, limits, report))),
  );
}

async function explain(
  threads: SqliteThreads,
  limits: NewErrorLimits,
  report: Report,
): Promise<ReportOutcome> {
  const { rows } = await threads.reader.execute({
    sql: explainSql,
    parameters: [
      report.agentID,
      report.projectID,
      limits.openPerAgent,
      leastIDAt(report.createdAt - minuteMilliseconds + 1),
      limits.newPerAgentPerMinute,
    ],
  });
  const [row] = rows;
  if (row === undefined) return { kind: 'agent_not_found' };
  if (row.deleted_at !== null) return { kind: 'agent_deleted' };
  const { openPerAgent, newPerAgentPerMinute } = limits;
  if (openPerAgent > 0 && Number(row.open_count) >= openPerAgent)
    return { kind: 'limited', limit: 'openPerAgent' };
  if (newPerAgentPerMinute > 0 && Number(row.new_of_agent) >= newPerAgentPerMinute) {
    return { kind: 'limited', limit: 'newPerAgentPerMinute' };
  }
  return { kind: 'limited', limit: 'newPerProjectPerSecond' };
}

function textOf(value: SqliteValue | undefined): string {
  if (typeof value !== 'string') throw new TypeError('an id is text in every table');
  return value;
}
