import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from './column-types.ts';

/**
 * Events, and what they are made from.
 *
 * Triggers append what happens to agents, tokens and mutes to `event_changes`, in the transaction that does it. The one consumer
 * of the changes of errors turns both into `events` and numbers them, so that the numbers are in the order of the commits.
 */
export async function addEvents(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  await sql`create table events (
    project_id ${id} not null,
    sequence ${integer} not null,
    type ${text} not null,
    data ${text} not null,
    created_at ${integer} not null,
    primary key (project_id, sequence)
  ) ${options}`.execute(db);
  await sql`create index events_by_time on events (created_at)`.execute(db);
  // The last number that was given in a project, and the last one whose event was removed.
  await sql`create table event_sequences (
    project_id ${id} not null primary key,
    last_sequence ${integer} not null,
    removed_through ${integer} not null
  ) ${options}`.execute(db);
  // When the last event about created errors of a group was written, and the errors since then that wait for the next one.
  await sql`create table event_folds (
    group_id ${id} not null primary key,
    project_id ${id} not null,
    written_at ${integer} not null,
    waiting ${integer} not null,
    newest_id ${id}
  ) ${options}`.execute(db);
  await sql`create index event_folds_waiting on event_folds (group_id) where waiting > 0`.execute(db);
  for (const statement of engine === 'sqlite' ? sqliteStatements : postgresStatements) {
    await statement.execute(db);
  }
}

const insertChange = sql`insert into event_changes (project_id, type, data)`;

const sqliteAgent = sql`json_object('agentID', new.id, 'name', new.name, 'machineID', new.machine_id)`;
const sqliteToken = sql`json_object('tokenID', new.id, 'name', new.name)`;

const sqliteStatements: readonly RawBuilder<unknown>[] = [
  sql`create table event_changes (
    key integer primary key,
    project_id text not null,
    type text not null,
    data text not null
  ) strict`,
  sql`create trigger agents_event_registered after insert on agents when new.deleted_at is null begin
    ${insertChange} values (new.project_id, 'agent.registered', ${sqliteAgent});
  end`,
  sql`create trigger agents_event_configured after update of epoch on agents when old.epoch <> new.epoch begin
    ${insertChange} values (new.project_id, 'agent.configuration_changed', ${sqliteAgent});
  end`,
  sql`create trigger agents_event_deleted after update of deleted_at on agents
    when old.deleted_at is null and new.deleted_at is not null begin
    ${insertChange} values (new.project_id, 'agent.deleted', ${sqliteAgent});
  end`,
  sql`create trigger tokens_event_created after insert on project_tokens when new.revoked_at is null begin
    ${insertChange} values (new.project_id, 'token.created', ${sqliteToken});
  end`,
  sql`create trigger tokens_event_updated after update of name, permissions, expires_at on project_tokens
    when old.name is not new.name or old.permissions is not new.permissions
      or old.expires_at is not new.expires_at begin
    ${insertChange} values (new.project_id, 'token.updated', ${sqliteToken});
  end`,
  sql`create trigger tokens_event_revoked after update of revoked_at on project_tokens
    when old.revoked_at is null and new.revoked_at is not null begin
    ${insertChange} values (new.project_id, 'token.revoked', ${sqliteToken});
  end`,
  sql`create trigger groups_event_muted after update of muted_at on agent_error_groups
    when new.muted_at is not null and old.muted_at is not new.muted_at begin
    ${insertChange} values (new.project_id, 'agent_error_group.muted',
      json_object('groupID', new.id, 'pattern', new.pattern));
  end`,
];

const postgresAgent = sql`json_build_object('agentID', new.id, 'name', new.name, 'machineID', new.machine_id)::text`;
const postgresToken = sql`json_build_object('tokenID', new.id, 'name', new.name)::text`;

const noting = (name: string, type: string, data: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`create function ${sql.id(name)}() returns trigger language plpgsql as $$
    begin
      ${insertChange} values (new.project_id, ${sql.lit(type)}, ${data});
      return null;
    end $$`;

const postgresStatements: readonly RawBuilder<unknown>[] = [
  sql`create table event_changes (
    key bigint generated always as identity primary key,
    project_id uuid not null,
    type text not null,
    data text not null
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
  noting('note_registered_agent_event', 'agent.registered', postgresAgent),
  sql`create trigger agents_event_registered after insert on agents
    for each row when (new.deleted_at is null) execute function note_registered_agent_event()`,
  noting('note_configured_agent_event', 'agent.configuration_changed', postgresAgent),
  sql`create trigger agents_event_configured after update of epoch on agents
    for each row when (old.epoch <> new.epoch) execute function note_configured_agent_event()`,
  noting('note_deleted_agent_event', 'agent.deleted', postgresAgent),
  sql`create trigger agents_event_deleted after update of deleted_at on agents
    for each row when (old.deleted_at is null and new.deleted_at is not null)
    execute function note_deleted_agent_event()`,
  noting('note_created_token_event', 'token.created', postgresToken),
  sql`create trigger tokens_event_created after insert on project_tokens
    for each row when (new.revoked_at is null) execute function note_created_token_event()`,
  noting('note_updated_token_event', 'token.updated', postgresToken),
  sql`create trigger tokens_event_updated after update of name, permissions, expires_at on project_tokens
    for each row when (old.name is distinct from new.name or old.permissions is distinct from new.permissions
      or old.expires_at is distinct from new.expires_at)
    execute function note_updated_token_event()`,
  noting('note_revoked_token_event', 'token.revoked', postgresToken),
  sql`create trigger tokens_event_revoked after update of revoked_at on project_tokens
    for each row when (old.revoked_at is null and new.revoked_at is not null)
    execute function note_revoked_token_event()`,
  noting(
    'note_muted_group_event',
    'agent_error_group.muted',
    sql`json_build_object('groupID', new.id, 'pattern', new.pattern)::text`,
  ),
  sql`create trigger groups_event_muted after update of muted_at on agent_error_groups
    for each row when (new.muted_at is not null and old.muted_at is distinct from new.muted_at)
    execute function note_muted_group_event()`,
];
