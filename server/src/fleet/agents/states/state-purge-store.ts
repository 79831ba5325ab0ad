import { sql } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';

/** Removes up to `limit` states of agents of deleted projects, and the counts of projects that have none left. Those that move keep theirs. */
export async function deleteStatesOfDeletedProjects(database: Database, limit: number): Promise<number> {
  const { write } = database;
  const { rows } = await sql`
    delete from agent_states where (project_id, agent_id) in (
      select states.project_id, states.agent_id
      from projects join agent_states as states on states.project_id = projects.id
      where projects.deleted_at > 0 limit ${limit})
    returning 1`.execute(write);
  if (rows.length < limit) {
    for (const table of ['project_counts', 'agent_version_counts']) {
      await sql`delete from ${sql.table(table)}
        where project_id in (select id from projects where deleted_at > 0)`.execute(write);
    }
  }
  return rows.length;
}
