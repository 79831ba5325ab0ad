import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from './column-types.ts';

/**
 * The life of a token: its rotations, who created and revoked it, the limits that it was given, and its use.
 *
 * `earlier_secrets` and `rotations` belong to project tokens and access tokens alike: `token_id` is the id of either.
 */
export async function addTokenLife(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  const columns: readonly (readonly [string, string, RawBuilder<unknown>])[] = [
    ['project_tokens', 'created_by_name', text],
    ['project_tokens', 'revoked_by_kind', text],
    ['project_tokens', 'revoked_by_id', id],
    ['project_tokens', 'revoked_by_name', text],
    ['project_tokens', 'revoke_reason', text],
    // 1: it was revoked together with the tokens of the agents that registered with it.
    ['project_tokens', 'ends_agents', sql`${integer} not null default 0`],
    // The number of its value: every rotation makes the next one.
    ['project_tokens', 'secret_number', sql`${integer} not null default 1`],
    ['project_tokens', 'rotated_at', integer],
    ['project_tokens', 'allowed_networks', text],
    ['project_tokens', 'reports_per_second', integer],
    ['access_tokens', 'secret_number', sql`${integer} not null default 1`],
    ['access_tokens', 'rotated_at', integer],
    // The project token that it was made with. Null: an older version made it.
    ['agent_tokens', 'created_with', id],
  ];
  for (const [table, column, definition] of columns) {
    await sql`alter table ${sql.ref(table)} add column ${sql.ref(column)} ${definition}`.execute(db);
  }
  const statements = [
    // The names as they are now; later ones are stored when a token is created.
    sql`update project_tokens set created_by_name = (select name from users where users.id = created_by_id)
      where created_by_kind = 'user'`,
    sql`update project_tokens set created_by_name =
        (select maker.name from project_tokens as maker where maker.id = project_tokens.created_by_id)
      where created_by_kind = 'project_token'`,

    sql`create table earlier_secrets (
      digest ${text} not null primary key,
      token_id ${id} not null,
      number ${integer} not null,
      last_four ${text} not null,
      ends_at ${integer},
      retires_on_use ${integer} not null,
      last_used_at ${integer}
    ) ${options}`,
    sql`create unique index earlier_secrets_by_token on earlier_secrets (token_id, number)`,
    sql`create index earlier_secrets_by_end on earlier_secrets (ends_at) where ends_at is not null`,

    // The salt is null as soon as the value of the rotation must not be shown again.
    sql`create table rotations (
      token_id ${id} not null,
      key_digest ${text} not null,
      number ${integer} not null,
      request ${text} not null,
      salt ${text},
      created_at ${integer} not null,
      primary key (token_id, key_digest)
    ) ${options}`,

    sql`create table token_days (
      token_id ${id} not null,
      day ${integer} not null,
      requests ${integer} not null,
      primary key (token_id, day)
    ) ${options}`,
    sql`create table token_origins (
      token_id ${id} not null,
      kind ${text} not null,
      origin ${text} not null,
      last_used_at ${integer} not null,
      primary key (token_id, kind, origin)
    ) ${options}`,
    ...(engine === 'sqlite' ? sqliteStatements : postgresStatements),
  ];
  for (const statement of statements) await statement.execute(db);
}

const sqliteStatements: readonly RawBuilder<unknown>[] = [
  sql`create trigger tokens_event_rotated after update of secret_number on project_tokens
    when old.secret_number <> new.secret_number begin
    insert into event_changes (project_id, type, data)
      values (new.project_id, 'token.rotated', json_object('tokenID', new.id, 'name', new.name));
  end`,
];

const postgresStatements: readonly RawBuilder<unknown>[] = [
  sql`create function note_rotated_token_event() returns trigger language plpgsql as $$
    begin
      insert into event_changes (project_id, type, data)
        values (new.project_id, 'token.rotated', json_build_object('tokenID', new.id, 'name', new.name)::text);
      return null;
    end $$`,
  sql`create trigger tokens_event_rotated after update of secret_number on project_tokens
    for each row when (old.secret_number <> new.secret_number) execute function note_rotated_token_event()`,
];
