import { type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from '../column-types.ts';
import { isAnyOther, jsonText, rowTrigger } from './row-trigger.ts';

/** Projects, who may do what in them, and what provisioning files have made of them. */
export function projectTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  return [
    sql`create table projects (
      id ${id} not null primary key,
      name ${text} not null,
      freeze_windows ${text} not null default '[]',
      created_at ${integer} not null,
      updated_at ${integer} not null,
      deleted_at ${integer}
    ) ${options}`,

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
    ...memberEvents(engine),

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

    // Rows stay when the thing itself is gone, so that the next start does not bring back what a person has ended.
    sql`create table provisioned (
      kind ${text} not null,
      key ${text} not null,
      applied_at ${integer} not null,
      primary key (kind, key)
    ) ${options}`,
  ];
}

function memberEvents(engine: Engine): readonly RawBuilder<unknown>[] {
  const noting = (type: string, row: 'new' | 'old') => {
    const [project, user, role] = ['project_id', 'user_id', 'role'].map((column) =>
      sql.raw(`${row}.${column}`),
    );
    const data = jsonText(engine, sql`'userID', ${user}, 'name', name, 'role', ${role}`);
    return sql`insert into event_changes (project_id, type, data)
      select ${project}, ${sql.lit(type)}, ${data} from users where id = ${user}`;
  };
  const table = 'project_members';
  return [
    ...rowTrigger(engine, {
      name: 'members_event_added',
      function: 'note_added_member_event',
      table,
      event: 'insert',
      statements: [noting('member.added', 'new')],
    }),
    ...rowTrigger(engine, {
      name: 'members_event_updated',
      function: 'note_updated_member_event',
      table,
      event: 'update of role, permissions',
      condition: isAnyOther(['role', 'permissions']),
      statements: [noting('member.updated', 'new')],
    }),
    ...rowTrigger(engine, {
      name: 'members_event_removed',
      function: 'note_removed_member_event',
      table,
      event: 'delete',
      statements: [noting('member.removed', 'old')],
    }),
  ];
}
