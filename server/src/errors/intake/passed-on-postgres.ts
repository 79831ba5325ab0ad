import { arrayLiteral } from '../../foundation/database/postgres/array-literal.ts';
import type { PostgresPool } from '../../foundation/database/postgres/postgres-pool.ts';
import type { Report } from '../report.ts';

type PassedOnError = {
  readonly id: string;
  readonly created_at: number;
};

/**
 * Of the reports that were not stored, those that a core instance passed on before: their errors have the same ids, and are dismissed
 * since, or of an earlier configuration.
 */
export async function findPassedOn(
  pool: PostgresPool,
  notStored: readonly Report[],
): Promise<readonly PassedOnError[]> {
  const ofSites = notStored.filter(({ isOfSite = false }) => isOfSite);
  if (ofSites.length === 0) return [];
  return pool.query<PassedOnError>(
    selectSql,
    [
      arrayLiteral(ofSites.map(({ projectID }) => projectID)),
      arrayLiteral(ofSites.map(({ agentID }) => agentID)),
      arrayLiteral(ofSites.map(({ id }) => id)),
    ],
    'find-passed-on',
  );
}

const selectSql = `
  select stored.id, stored.created_at
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as report (project_id, agent_id, id)
  cross join lateral (
    select e.id, e.created_at from agent_errors as e
    where e.project_id = report.project_id and e.id = report.id and e.agent_id = report.agent_id limit 1) as stored`;
