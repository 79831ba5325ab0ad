import { arrayLiteral, bytesArrayLiteral } from '../../foundation/database/postgres/array-literal.ts';
import type { PostgresPool } from '../../foundation/database/postgres/postgres-pool.ts';
import type { DigestedReport } from '../report.ts';
import { agentOfInputSql } from './insert-new-postgres.ts';

/** The look-up of the full statement, without its texts, counts and locks: what is open is changed by no report. */
const findSql = `
  select (input.position - 1)::integer as position, open_error.id, open_error.created_at
  from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bigint[]) with ordinality
    as input (agent_id, project_id, error_digest, generation, position)
  join credential_changes on credential_changes.generation = input.generation
  join lateral (${agentOfInputSql}) as agents on agents.deleted_at is null
  join lateral (
    select e.id, e.created_at from agent_errors as e
    where e.agent_id = agents.id and e.epoch = agents.epoch
      and e.error_digest = input.error_digest and e.dismissed_at is null
    limit 1) as open_error on true`;

type FoundRow = { readonly position: number; readonly id: string; readonly created_at: number };

/** Returns the open errors that the reports repeat. Of all others the full statement says what they are. */
export async function findRepeated(
  pool: PostgresPool,
  reports: readonly DigestedReport[],
): Promise<readonly FoundRow[]> {
  const arrays = [
    arrayLiteral(reports.map(({ agentID }) => agentID)),
    arrayLiteral(reports.map(({ projectID }) => projectID)),
    bytesArrayLiteral(reports.map(({ digest }) => digest)),
    arrayLiteral(reports.map(({ generation }) => generation)),
  ];
  return pool.query<FoundRow>(findSql, arrays, 'find-repeated-errors');
}
