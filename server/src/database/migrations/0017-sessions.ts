import { type Kysely, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from './column-types.ts';

/** Sessions of users in browsers, and the links with which a browser signs in. */
export async function addSessions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  const statements = [
    sql`create table sessions (
      id ${id} not null primary key,
      digest ${text} not null,
      user_id ${id} not null references users (id),
      method ${text} not null,
      access_token_id ${id},
      token_number ${integer},
      created_at ${integer} not null,
      expires_at ${integer} not null,
      last_used_at ${integer} not null,
      revoked_at ${integer},
      address ${text},
      user_agent ${text}
    ) ${options}`,
    sql`create unique index sessions_by_digest on sessions (digest)`,
    sql`create index sessions_by_user on sessions (user_id, id)`,
    sql`create index sessions_by_end on sessions (expires_at)`,

    sql`create table sign_in_links (
      id ${id} not null primary key,
      digest ${text} not null,
      user_id ${id} not null references users (id),
      access_token_id ${id} not null,
      token_number ${integer} not null,
      created_at ${integer} not null,
      expires_at ${integer} not null,
      used_at ${integer}
    ) ${options}`,
    sql`create unique index sign_in_links_by_digest on sign_in_links (digest)`,
    sql`create index sign_in_links_by_end on sign_in_links (expires_at)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
