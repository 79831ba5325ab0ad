import { type Kysely, sql } from 'kysely';
import { columnTypes, type Engine } from './column-types.ts';

/**
 * Leads from a project and a time to the configurations that its agents changed to, and tells which of them are the same. Older versions leave both
 * columns empty, so what agents change while such a version runs is missing in the history of the project.
 *
 * The first configuration of an agent (epoch 1) is no change.
 */
export async function addConfigsByProject(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, text } = columnTypes(engine);
  await sql`alter table agent_configs add column project_id ${id}`.execute(db);
  await sql`alter table agent_configs add column text_digest ${text}`.execute(db);
  // On SQLite, the key of the row is part of the index; on PostgreSQL, the agent has to be added.
  const agent = engine === 'sqlite' ? sql`` : sql`, agent_id`;
  await sql`create index agent_configs_by_project on agent_configs (project_id, created_at, text_digest${agent})
    where project_id is not null and epoch > 1`.execute(db);
  await sql`create index agents_by_fleet on agents (project_id, fleet_id)
    where deleted_at is null and fleet_id is not null`.execute(db);
}
