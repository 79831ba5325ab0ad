import { type Kysely, sql } from 'kysely';
import type { Engine } from './column-types.ts';

/**
 * On SQLite, a batch of reports appends one row to `agent_error_changes` for all errors that it stores. A trigger that
 * appends a row for each made an insert a third more expensive: it also makes SQLite keep copies of pages for each statement.
 */
export async function queueBatchesOfErrors(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'postgres') return;
  await sql`alter table agent_error_changes add column errors blob`.execute(db);
  await sql`drop trigger agent_error_rows_created`.execute(db);
}
