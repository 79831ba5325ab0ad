import { type Kysely, sql } from 'kysely';
import type { Engine } from './column-types.ts';

/**
 * On PostgreSQL, open errors by project are an index for questions that name the project, and for no others.
 *
 * Vacuumed while no error was open, it counts as empty from then on, however much is stored, until the next ANALYZE:
 * reading all of it looked cheaper than a look-up in agent_errors_open, for each report and each agent. That a
 * project is named implies the second condition; nothing else does. Rows are the same: the column is never null.
 */
export async function narrowOpenErrorsByProject(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return;
  await sql`drop index agent_errors_open_by_project`.execute(db);
  await sql`create index agent_errors_open_by_project on agent_errors (project_id, id)
    where dismissed_at is null and project_id is not null`.execute(db);
}
