import { hash } from 'node:crypto';
import type { SqliteStatements } from '../../database/sqlite/sqlite-procedure.ts';
import {
  idsAround,
  minuteMilliseconds,
  type NewErrorLimits,
  secondMilliseconds,
} from '../limits/new-error-limits.ts';
import type { LimitName, Report, ReportOutcome } from '../report.ts';

export interface ReportBatch {
  readonly limits: NewErrorLimits;
  readonly reports: readonly Report[];
}

/**
 * The ignore rule on SQLite, run beside the database within one transaction for the whole batch. The writer runs
 * one transaction at a time, so that nothing changes between a look and the insert that follows from it.
 */
export function storeReports(
  statements: SqliteStatements,
  { limits, reports }: ReportBatch,
): readonly ReportOutcome[] {
  return reports.map((report) => storeReport(statements, limits, report));
}

function storeReport(statements: SqliteStatements, limits: NewErrorLimits, report: Report): ReportOutcome {
  const { id, agentID, projectID, error, createdAt } = report;
  const agent = statements.get(selectAgentSql, agentID, projectID);
  if (agent === undefined) return { kind: 'agent_not_found' };
  if (agent.deleted_at !== null) return { kind: 'agent_deleted' };
  const { epoch = null, config_id: configID = null } = agent;
  const digest = hash('sha256', error, 'buffer');
  const standing = statements.get(selectStandingSql, agentID, epoch, digest);
  if (standing !== undefined) {
    return { kind: 'ignored', id: String(standing.id), createdAt: Number(standing.created_at) };
  }
  const limit = report.isProjectFull ? 'storedBytesPerProject' : reachedLimit(statements, limits, report);
  if (limit !== undefined) return { kind: 'limited', limit };
  statements.run(insertSql, agentID, id, projectID, error, digest, epoch, configID, createdAt);
  return { kind: 'created', id, createdAt };
}

/**
 * 0 stands for no limit; counting stops at the limit. An interval has one of its two ends, so that who waits as
 * long as `Retry-After` says is let in.
 */
function reachedLimit(
  statements: SqliteStatements,
  { openPerAgent, newPerAgentPerMinute, newPerProjectPerSecond }: NewErrorLimits,
  { agentID, projectID, createdAt }: Report,
): LimitName | undefined {
  const reaches = (limit: number, sql: string, ...parameters: readonly string[]): boolean =>
    Number(statements.get(sql, limit, ...parameters)?.count) >= limit;
  if (openPerAgent > 0 && reaches(openPerAgent, countOpenOfAgentSql, agentID)) return 'openPerAgent';
  if (newPerAgentPerMinute > 0) {
    const interval = idsAround(createdAt, minuteMilliseconds);
    if (reaches(newPerAgentPerMinute, countNewOfAgentSql, agentID, ...interval))
      return 'newPerAgentPerMinute';
  }
  if (newPerProjectPerSecond > 0) {
    const interval = idsAround(createdAt, secondMilliseconds);
    if (reaches(newPerProjectPerSecond, countNewOfProjectSql, projectID, ...interval))
      return 'newPerProjectPerSecond';
  }
  return undefined;
}

const selectAgentSql = `
  select epoch, config_id, deleted_at from agents where id = ?1 and project_id = ?2`;

const selectStandingSql = `
  select id, created_at
  from agent_errors
  where agent_id = ?1 and epoch = ?2 and error_digest = ?3 and dismissed_at is null`;

const countOpenOfAgentSql = `
  select count(*) as count from (
    select 1 from agent_errors where agent_id = ?2 and dismissed_at is null limit ?1)`;

const countNewOfAgentSql = `
  select count(*) as count from (
    select 1 from agent_errors where agent_id = ?2 and id >= ?3 and id < ?4 limit ?1)`;

const countNewOfProjectSql = `
  select count(*) as count from (
    select 1 from agent_errors where project_id = ?2 and id >= ?3 and id < ?4 limit ?1)`;

const insertSql = `
  insert into agent_errors (
    agent_id, id, project_id, error, error_digest, epoch, config_id, created_at, occurrences, last_seen_at
  ) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, ?8)`;
