import { type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from '../column-types.ts';
import { noteOfAllCredentials, noteOfCredential } from './core-instances.ts';
import { isAnyOther, jsonText, rowTrigger } from './row-trigger.ts';

/** Project tokens, and what they share with access tokens: `token_id` is the id of either. */
export function projectTokenTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  return [
    // One row: a number that grows with every change that takes something from a credential, one that grows with every change of what fleets serve, and
    // the position in the log of PostgreSQL up to which lists from a standby must have come.
    sql`create table credential_changes (
      id ${integer} not null primary key,
      generation ${integer} not null,
      fleet_generation ${integer} not null default 1,
      list_position ${integer} not null default 0
    ) ${options}`,
    sql`insert into credential_changes (id, generation) values (1, 1)`,

    sql`create table project_tokens (
      id ${id} not null primary key,
      project_id ${id} not null references projects (id),
      parent_id ${id} references project_tokens (id),
      name ${text} not null,
      digest ${text} not null,
      last_four ${text} not null,
      secret_number ${integer} not null default 1,
      permissions ${text} not null,
      own_permissions ${text},
      allowed_networks ${text},
      reports_per_second ${integer},
      created_at ${integer} not null,
      created_by_kind ${text} not null,
      created_by_id ${id},
      created_by_name ${text},
      expires_at ${integer},
      last_used_at ${integer},
      rotated_at ${integer},
      rotated_by_id ${id},
      leaked_at ${integer},
      leak_source ${text},
      leaked_number ${integer},
      revoked_at ${integer},
      revoked_by_kind ${text},
      revoked_by_id ${id},
      revoked_by_name ${text},
      revoke_reason ${text},
      ends_agents ${integer} not null default 0
    ) ${options}`,
    sql`create unique index project_tokens_by_digest on project_tokens (digest)`,
    sql`create index project_tokens_by_project on project_tokens (project_id, id)`,
    sql`create index project_tokens_by_parent on project_tokens (parent_id)`,
    sql`create index project_tokens_by_expiry on project_tokens (expires_at)
      where revoked_at is null and expires_at is not null`,
    ...tokenEvents(engine),
    ...tokenNotes(engine),

    sql`create table earlier_secrets (
      digest ${text} not null primary key,
      token_id ${id} not null,
      number ${integer} not null,
      last_four ${text} not null,
      ends_at ${integer},
      retires_on_use ${integer} not null,
      rotated_by_id ${id},
      last_used_at ${integer}
    ) ${options}`,
    sql`create unique index earlier_secrets_by_token on earlier_secrets (token_id, number)`,
    sql`create index earlier_secrets_by_end on earlier_secrets (ends_at) where ends_at is not null`,
    ...earlierSecretNotes(engine),

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
    sql`create table earlier_secret_origins (
      digest ${text} not null,
      kind ${text} not null,
      origin ${text} not null,
      last_used_at ${integer} not null,
      primary key (digest, kind, origin)
    ) ${options}`,

    sql`create table token_leaks (
      id ${id} not null primary key,
      digest ${text} not null,
      source ${text},
      address ${text},
      request_id ${text} not null,
      reported_at ${integer} not null
    ) ${options}`,
  ];
}

const table = 'project_tokens';

function tokenEvents(engine: Engine): readonly RawBuilder<unknown>[] {
  const named = sql`'tokenID', new.id, 'name', new.name`;
  const before = engine === 'sqlite' ? sql`json(old.permissions)` : sql`old.permissions::json`;
  const noting = (type: string, members = named) => [
    sql`insert into event_changes (project_id, type, data)
      values (new.project_id, ${sql.lit(type)}, ${jsonText(engine, members)})`,
  ];
  return [
    ...rowTrigger(engine, {
      name: 'tokens_event_created',
      function: 'note_created_token_event',
      table,
      event: 'insert',
      condition: sql`new.revoked_at is null`,
      statements: noting('token.created'),
    }),
    ...rowTrigger(engine, {
      name: 'tokens_event_updated',
      function: 'note_updated_token_event',
      table,
      event: 'update of name, permissions, expires_at',
      condition: isAnyOther(['name', 'permissions', 'expires_at']),
      statements: noting('token.updated', sql`${named}, 'permissionsBefore', ${before}`),
    }),
    ...rowTrigger(engine, {
      name: 'tokens_event_revoked',
      function: 'note_revoked_token_event',
      table,
      event: 'update of revoked_at',
      condition: sql`old.revoked_at is null and new.revoked_at is not null`,
      statements: noting('token.revoked'),
    }),
    ...rowTrigger(engine, {
      name: 'tokens_event_rotated',
      function: 'note_rotated_token_event',
      table,
      event: 'update of secret_number',
      condition: sql`old.secret_number <> new.secret_number`,
      statements: noting('token.rotated'),
    }),
  ];
}

/** The columns on which the answer about a token depends. No other change has to reach a site. */
const answeredColumns = [
  'digest',
  'permissions',
  'own_permissions',
  'expires_at',
  'revoked_at',
  'allowed_networks',
  'reports_per_second',
  'parent_id',
];

function tokenNotes(engine: Engine): readonly RawBuilder<unknown>[] {
  const noteOf = (row: 'old' | 'new') =>
    noteOfCredential('project', sql.raw(`${row}.project_id`), sql.raw(`${row}.digest`));
  return [
    ...rowTrigger(engine, {
      name: 'project_tokens_noted_added',
      table,
      event: 'insert',
      statements: [noteOf('new')],
    }),
    ...rowTrigger(engine, {
      name: 'project_tokens_noted_changed',
      table,
      event: 'update',
      condition: isAnyOther(answeredColumns),
      statements: [noteOf('old'), noteOf('new')],
    }),
    ...rowTrigger(engine, {
      name: 'project_tokens_noted_removed',
      table,
      event: 'delete',
      statements: [noteOf('old')],
    }),
    ...rowTrigger(engine, {
      name: 'project_tokens_noted_agents',
      table,
      event: engine === 'sqlite' ? 'update of ends_agents' : 'update',
      condition: sql`old.ends_agents = 0 and new.ends_agents = 1`,
      statements: [noteOfAllCredentials],
    }),
  ];
}

function earlierSecretNotes(engine: Engine): readonly RawBuilder<unknown>[] {
  const noteOf = (row: 'old' | 'new') =>
    sql`insert into credential_notes (project_id, kind, digest)
      select project_id, 'project', ${sql.raw(`${row}.digest`)} from project_tokens where id = ${sql.raw(`${row}.token_id`)}`;
  return [
    ...rowTrigger(engine, {
      name: 'earlier_secrets_noted_added',
      table: 'earlier_secrets',
      event: 'insert',
      statements: [noteOf('new')],
    }),
    ...rowTrigger(engine, {
      name: 'earlier_secrets_noted_changed',
      table: 'earlier_secrets',
      event: engine === 'sqlite' ? 'update of ends_at' : 'update',
      ...(engine === 'postgres' && { condition: isAnyOther(['ends_at']) }),
      statements: [noteOf('new')],
    }),
    ...rowTrigger(engine, {
      name: 'earlier_secrets_noted_removed',
      table: 'earlier_secrets',
      event: 'delete',
      statements: [noteOf('old')],
    }),
  ];
}
