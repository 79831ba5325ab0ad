import { type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from '../column-types.ts';

/** Users, and with what they sign in. */
export function userTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  return [
    sql`create table users (
      id ${id} not null primary key,
      name ${text} not null,
      issuer ${text},
      subject ${text},
      is_administrator ${integer} not null default 0,
      claim_values ${text},
      claims_at ${integer},
      created_at ${integer} not null
    ) ${options}`,
    sql`create unique index users_by_subject on users (issuer, subject)`,

    sql`create table access_tokens (
      id ${id} not null primary key,
      user_id ${id} not null references users (id),
      parent_id ${id} references access_tokens (id),
      name ${text} not null,
      digest ${text} not null,
      last_four ${text} not null,
      secret_number ${integer} not null default 1,
      is_initial ${integer} not null default 0,
      permissions ${text},
      project_ids ${text},
      created_at ${integer} not null,
      expires_at ${integer},
      last_used_at ${integer},
      rotated_at ${integer},
      leaked_at ${integer},
      leak_source ${text},
      leaked_number ${integer},
      revoked_at ${integer}
    ) ${options}`,
    sql`create unique index access_tokens_by_digest on access_tokens (digest)`,
    sql`create index access_tokens_by_user on access_tokens (user_id, id)`,
    sql`create index access_tokens_by_parent on access_tokens (parent_id)`,

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
}
