import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from './column-types.ts';

/**
 * Musters at sites, the ids that they gave agents, and what changes of the credentials that they know.
 *
 * Triggers append each digest that became valid or changed to `credential_notes`, in the transaction that changes it. Where several transactions
 * write at a time, the order of keys is not the order of commits: `position` is then the number of the transaction, and a reader asks again for
 * everything since the oldest one that was still open. `noted_at` is by the clock of the database, and only says what is old.
 */
export async function addCoreInstances(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  const statements = [
    // `applied_items`: of the batch `applied_sequence`, which is not applied as a whole yet. `claimed_by`: the process that applies a batch. `last_result`: JSON of what was refused.
    sql`create table core_instances (
      id ${id} not null primary key,
      project_id ${id} not null,
      name ${text} not null,
      version ${text},
      tags ${text} not null,
      metadata ${text} not null,
      key_digest ${text},
      digest ${text} not null,
      last_four ${text} not null,
      rotated_at ${integer},
      earlier_digest ${text},
      earlier_ends_at ${integer},
      earlier_retires ${integer} not null default 0,
      revoked_at ${integer},
      created_at ${integer} not null,
      created_by_kind ${text} not null,
      created_by_id ${id},
      created_by_name ${text},
      updated_at ${integer} not null,
      deleted_at ${integer},
      last_contact_at ${integer},
      started_at ${integer},
      agents_count ${integer} not null default 0,
      spooled_count ${integer} not null default 0,
      spooled_bytes ${integer} not null default 0,
      oldest_spooled_at ${integer},
      lost_count ${integer} not null default 0,
      last_loss_at ${integer},
      clock_offset_ms ${integer},
      missed_contact_at ${integer},
      sequence ${integer} not null default 0,
      applied_sequence ${integer} not null default 0,
      applied_items ${integer} not null default 0,
      newest_report_at ${integer},
      claimed_by ${id},
      claimed_until ${integer} not null default 0,
      last_result ${text}
    ) ${options}`,
    sql`create unique index core_instances_by_name on core_instances (project_id, name)
      where deleted_at is null`,
    sql`create unique index core_instances_by_key on core_instances (project_id, key_digest)
      where deleted_at is null and key_digest is not null`,
    sql`create index core_instances_by_project on core_instances (project_id, id)`,
    sql`create unique index core_instances_by_digest on core_instances (digest)`,
    sql`create index core_instances_by_earlier_digest on core_instances (earlier_digest)
      where earlier_digest is not null`,

    // An id that a site gave an agent that is known under another one.
    sql`create table agent_aliases (
      project_id ${id} not null,
      alias_id ${id} not null,
      agent_id ${id} not null,
      created_at ${integer} not null,
      primary key (project_id, alias_id)
    ) ${options}`,

    // The core instance that last spoke for the agent. Null: the agent spoke itself.
    sql`alter table agent_signs add column core_instance_id ${id}`,
    // Since when that one is not heard. Null: it is, or there is none.
    sql`alter table agent_signs add column unreachable_since ${integer}`,
    sql`alter table project_counts add column unknown_agents ${integer} not null default 0`,
    ...(engine === 'sqlite' ? sqliteStatements : postgresStatements),
  ];
  for (const statement of statements) await statement.execute(db);
}

const insertNote = sql`insert into credential_notes (project_id, kind, digest)`;

/** The columns of a project token on which the answer about it depends. */
const tokenColumns = [
  'digest',
  'permissions',
  'own_permissions',
  'expires_at',
  'revoked_at',
  'allowed_networks',
  'reports_per_second',
  'parent_id',
] as const;

/** Nothing else changes a row so that a site must know. */
const isOtherToken = sql.join(
  tokenColumns.map((column) => sql`old.${sql.ref(column)} is distinct from new.${sql.ref(column)}`),
  sql` or `,
);

const noteOfAgent = (row: 'old' | 'new'): RawBuilder<unknown> =>
  sql`${insertNote} select project_id, 'agent', ${sql.ref(`${row}.digest`)} from agents where id = ${sql.ref(`${row}.agent_id`)}`;

const noteOfEarlier = (row: 'old' | 'new'): RawBuilder<unknown> =>
  sql`${insertNote} select project_id, 'project', ${sql.ref(`${row}.digest`)} from project_tokens where id = ${sql.ref(`${row}.token_id`)}`;

const noteOfToken = (row: 'old' | 'new'): RawBuilder<unknown> =>
  sql`${insertNote} values (${sql.ref(`${row}.project_id`)}, 'project', ${sql.ref(`${row}.digest`)})`;

const noteOfDeletedAgent = sql`${insertNote} select new.project_id, 'agent', digest from agent_tokens where agent_id = new.id`;

/** So many credentials end at once that everybody reads all again. */
const noteOfAll = sql`${insertNote} values (new.project_id, 'all', '')`;

const isDeleted = sql`old.deleted_at is null and new.deleted_at is not null`;
const endsAgents = sql`old.ends_agents = 0 and new.ends_agents = 1`;

/** The status of the agent is determined anew. */
const noteState = sql`insert into agent_changes (project_id, agent_id) values (new.project_id, new.agent_id)`;
const isOtherwiseReachable = sql`old.unreachable_since is distinct from new.unreachable_since`;

const sqliteStatements: readonly RawBuilder<unknown>[] = [
  sql`create table credential_notes (
    position integer primary key autoincrement,
    project_id text not null,
    kind text not null,
    digest text not null,
    noted_at integer not null default (cast(unixepoch('subsec') * 1000 as integer))
  ) strict`,
  sql`create index credential_notes_by_project on credential_notes (project_id, position)`,
  sql`create trigger agent_signs_reachable_changed after update of unreachable_since on agent_signs
    when ${isOtherwiseReachable} begin ${noteState}; end`,
  sql`create trigger agent_tokens_noted_added after insert on agent_tokens begin ${noteOfAgent('new')}; end`,
  sql`create trigger agent_tokens_noted_removed after delete on agent_tokens begin ${noteOfAgent('old')}; end`,
  sql`create trigger agents_noted_deleted after update of deleted_at on agents when ${isDeleted} begin
    ${noteOfDeletedAgent}; end`,
  sql`create trigger project_tokens_noted_added after insert on project_tokens begin ${noteOfToken('new')}; end`,
  sql`create trigger project_tokens_noted_changed after update on project_tokens when ${isOtherToken} begin
    ${noteOfToken('old')}; ${noteOfToken('new')}; end`,
  sql`create trigger project_tokens_noted_removed after delete on project_tokens begin ${noteOfToken('old')}; end`,
  sql`create trigger project_tokens_noted_agents after update of ends_agents on project_tokens when ${endsAgents} begin
    ${noteOfAll}; end`,
  sql`create trigger earlier_secrets_noted_added after insert on earlier_secrets begin ${noteOfEarlier('new')}; end`,
  sql`create trigger earlier_secrets_noted_changed after update of ends_at on earlier_secrets begin ${noteOfEarlier('new')}; end`,
  sql`create trigger earlier_secrets_noted_removed after delete on earlier_secrets begin ${noteOfEarlier('old')}; end`,
];

/** A function, and the trigger that calls it for each row. */
function rowTrigger(
  table: string,
  name: string,
  event: 'insert' | 'update' | 'delete',
  statements: readonly RawBuilder<unknown>[],
  condition?: RawBuilder<unknown>,
): readonly RawBuilder<unknown>[] {
  return [
    sql`create function ${sql.id(name)}() returns trigger language plpgsql as $$
      begin
        ${sql.join(statements, sql`; `)};
        return null;
      end $$`,
    sql`create trigger ${sql.id(name)} after ${sql.raw(event)} on ${sql.table(table)} for each row
      ${condition === undefined ? sql`` : sql`when (${condition})`} execute function ${sql.id(name)}()`,
  ];
}

const postgresStatements: readonly RawBuilder<unknown>[] = [
  sql`create table credential_notes (
    key bigint generated always as identity primary key,
    position bigint not null default (pg_current_xact_id()::text::bigint),
    project_id uuid not null,
    kind text not null,
    digest text not null,
    noted_at bigint not null default ((extract(epoch from clock_timestamp()) * 1000)::bigint)
  )`,
  sql`create index credential_notes_by_project on credential_notes (project_id, position)`,
  ...rowTrigger('agent_signs', 'agent_signs_reachable_changed', 'update', [noteState], isOtherwiseReachable),
  ...rowTrigger('agent_tokens', 'agent_tokens_noted_added', 'insert', [noteOfAgent('new')]),
  ...rowTrigger('agent_tokens', 'agent_tokens_noted_removed', 'delete', [noteOfAgent('old')]),
  ...rowTrigger('agents', 'agents_noted_deleted', 'update', [noteOfDeletedAgent], isDeleted),
  ...rowTrigger('project_tokens', 'project_tokens_noted_added', 'insert', [noteOfToken('new')]),
  ...rowTrigger(
    'project_tokens',
    'project_tokens_noted_changed',
    'update',
    [noteOfToken('old'), noteOfToken('new')],
    isOtherToken,
  ),
  ...rowTrigger('project_tokens', 'project_tokens_noted_removed', 'delete', [noteOfToken('old')]),
  ...rowTrigger('project_tokens', 'project_tokens_noted_agents', 'update', [noteOfAll], endsAgents),
  ...rowTrigger('earlier_secrets', 'earlier_secrets_noted_added', 'insert', [noteOfEarlier('new')]),
  ...rowTrigger(
    'earlier_secrets',
    'earlier_secrets_noted_changed',
    'update',
    [noteOfEarlier('new')],
    sql`old.ends_at is distinct from new.ends_at`,
  ),
  ...rowTrigger('earlier_secrets', 'earlier_secrets_noted_removed', 'delete', [noteOfEarlier('old')]),
];
