import { type Kysely, sql } from 'kysely';
import { columnTypes, type Engine } from './column-types.ts';

/** What ends a mute before its time: an error with another configuration, and errors on many agents. */
export async function addMuteEnds(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { integer } = columnTypes(engine);
  await sql`alter table agent_error_groups add column mute_ends_with_config ${integer}`.execute(db);
  await sql`alter table agent_error_groups add column mute_ends_at_agents ${integer}`.execute(db);
}
