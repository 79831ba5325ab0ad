import { sql } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';
import { errorBytes } from './created-errors.ts';

/** To count more of them would take long just when the database has much to do. */
const maxCounted = 1_000_000;

/** How many changes of errors and agents wait to be counted, of all projects, at most a million of each. */
export async function countUncountedChanges({ engine, read }: Database): Promise<number> {
  // On SQLite, a row may list all errors of a batch.
  const errors = engine === 'sqlite' ? sql`coalesce(length(errors) / ${sql.lit(errorBytes)}, 1)` : sql`1`;
  const { rows } = await sql<{ changes: number }>`
    select cast(coalesce(sum(changes), 0) as bigint) as changes from (
      select * from (select ${errors} as changes from agent_error_changes limit ${maxCounted}) as of_errors
      union all
      select * from (select 1 as changes from agent_changes limit ${maxCounted}) as of_agents
    ) as waiting`.execute(read);
  return rows[0]?.changes ?? 0;
}
