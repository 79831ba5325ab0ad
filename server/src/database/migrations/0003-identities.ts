import { type Kysely, sql } from 'kysely';
import { columnTypes, type Engine } from './column-types.ts';

/** What tells whose a token is and who registered an agent. Every column may be null: older replicas do not write them. */
export async function addIdentities(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, text, integer } = columnTypes(engine);
  const statements = [
    sql`alter table project_tokens add column own_permissions ${text}`,
    // A token that a person made, and another one widened later: what the person granted cannot be told any more, so
    // that it keeps all of it.
    sql`update project_tokens set own_permissions = permissions
      where parent_id is not null and created_by_kind <> 'project_token'`,

    sql`alter table agents add column reported_with ${id}`,
    sql`alter table agents add column reregistered_at ${integer}`,
    sql`alter table agents add column reregistered_from ${text}`,
    sql`alter table agents add column released_at ${integer}`,
    sql`create index agents_by_reporting_token on agents (reported_with)
      where deleted_at is null and reported_with is not null`,

    // Null for those that exist: which of an agent's two tokens it uses shows with its next request.
    sql`alter table agent_tokens add column used_at ${integer}`,
  ];
  for (const statement of statements) await statement.execute(db);
}
