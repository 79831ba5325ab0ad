import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from './column-types.ts';

/**
 * Members of projects with their roles, invitations, and access tokens that may do less than their user.
 *
 * Until now, every user was an operator of the whole installation. The user that the first start created stays its administrator; users of the
 * identity provider have no role until they are given one.
 */
export async function addPeople(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  const statements = [
    sql`alter table users add column is_administrator ${integer} not null default 0`,
    sql`update users set is_administrator = 1 where issuer is null`,
    // JSON array: what the newest token of the identity provider says of the user's groups, and when it was issued.
    sql`alter table users add column claim_values ${text}`,
    sql`alter table users add column claims_at ${integer}`,

    sql`alter table access_tokens add column parent_id ${id} references access_tokens (id)`,
    // JSON arrays. Null: not narrowed.
    sql`alter table access_tokens add column permissions ${text}`,
    sql`alter table access_tokens add column project_ids ${text}`,
    sql`create index access_tokens_by_parent on access_tokens (parent_id)`,

    sql`create table project_members (
      id ${id} not null primary key,
      project_id ${id} not null references projects (id),
      user_id ${id} not null references users (id),
      role ${text} not null,
      permissions ${text},
      created_at ${integer} not null,
      created_by_kind ${text} not null,
      created_by_id ${id}
    ) ${options}`,
    sql`create unique index project_members_by_user on project_members (user_id, project_id)`,
    sql`create index project_members_by_project on project_members (project_id, id)`,

    sql`create table invitations (
      id ${id} not null primary key,
      project_id ${id} not null references projects (id),
      role ${text} not null,
      permissions ${text},
      email ${text},
      digest ${text} not null,
      created_at ${integer} not null,
      created_by_id ${id} not null references users (id),
      expires_at ${integer} not null,
      accepted_at ${integer},
      accepted_by_id ${id} references users (id),
      revoked_at ${integer}
    ) ${options}`,
    sql`create unique index invitations_by_digest on invitations (digest)`,
    sql`create index invitations_by_project on invitations (project_id, id)`,
    ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
  ];
  for (const statement of statements) await statement.execute(db);
}

/** Members are told of in events, in the transaction of the change. */
const insertChange = sql`insert into event_changes (project_id, type, data)`;

const sqliteTriggers: readonly RawBuilder<unknown>[] = [
  sql`create trigger members_event_added after insert on project_members begin
    ${insertChange} select new.project_id, 'member.added',
      json_object('userID', new.user_id, 'name', name, 'role', new.role) from users where id = new.user_id;
  end`,
  sql`create trigger members_event_updated after update of role, permissions on project_members
    when old.role is not new.role or old.permissions is not new.permissions begin
    ${insertChange} select new.project_id, 'member.updated',
      json_object('userID', new.user_id, 'name', name, 'role', new.role) from users where id = new.user_id;
  end`,
  sql`create trigger members_event_removed after delete on project_members begin
    ${insertChange} select old.project_id, 'member.removed',
      json_object('userID', old.user_id, 'name', name, 'role', old.role) from users where id = old.user_id;
  end`,
];

const noting = (name: string, type: string, row: 'new' | 'old'): RawBuilder<unknown> =>
  sql`create function ${sql.id(name)}() returns trigger language plpgsql as $$
    begin
      ${insertChange} select ${sql.id(row, 'project_id')}, ${sql.lit(type)},
        json_build_object('userID', ${sql.id(row, 'user_id')}, 'name', name, 'role', ${sql.id(row, 'role')})::text
        from users where id = ${sql.id(row, 'user_id')};
      return null;
    end $$`;

const postgresTriggers: readonly RawBuilder<unknown>[] = [
  noting('note_added_member_event', 'member.added', 'new'),
  sql`create trigger members_event_added after insert on project_members
    for each row execute function note_added_member_event()`,
  noting('note_updated_member_event', 'member.updated', 'new'),
  sql`create trigger members_event_updated after update of role, permissions on project_members
    for each row when (old.role is distinct from new.role or old.permissions is distinct from new.permissions)
    execute function note_updated_member_event()`,
  noting('note_removed_member_event', 'member.removed', 'old'),
  sql`create trigger members_event_removed after delete on project_members
    for each row execute function note_removed_member_event()`,
];
