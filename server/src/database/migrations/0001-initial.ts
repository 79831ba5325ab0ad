import { type Kysely, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from './column-types.ts';

/**
 * What an agent's reports touch (agents, agent_tokens, agent_configs, agent_errors) is keyed by the agent's id
 * first, uniqueness of open errors included, so that a distributed database can shard by it.
 */
export async function createInitialTables(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, text, bytes, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  const statements = [
    sql`create table users (
      id ${id} not null primary key,
      name ${text} not null,
      issuer ${text},
      subject ${text},
      created_at ${integer} not null
    ) ${options}`,
    sql`create unique index users_by_subject on users (issuer, subject)`,

    sql`create table access_tokens (
      id ${id} not null primary key,
      user_id ${id} not null references users (id),
      name ${text} not null,
      digest ${text} not null,
      last_four ${text} not null,
      is_initial ${integer} not null default 0,
      created_at ${integer} not null,
      expires_at ${integer},
      last_used_at ${integer},
      revoked_at ${integer}
    ) ${options}`,
    sql`create unique index access_tokens_by_digest on access_tokens (digest)`,
    sql`create index access_tokens_by_user on access_tokens (user_id, id)`,

    // One row, whose number grows with every change that takes something from a credential.
    sql`create table credential_changes (
      id ${integer} not null primary key,
      generation ${integer} not null
    ) ${options}`,
    sql`insert into credential_changes (id, generation) values (1, 1)`,

    sql`create table projects (
      id ${id} not null primary key,
      name ${text} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      deleted_at ${integer}
    ) ${options}`,

    sql`create table project_tokens (
      id ${id} not null primary key,
      project_id ${id} not null references projects (id),
      name ${text} not null,
      permissions ${text} not null,
      digest ${text} not null,
      last_four ${text} not null,
      created_at ${integer} not null,
      expires_at ${integer},
      last_used_at ${integer},
      revoked_at ${integer},
      created_by_kind ${text} not null,
      created_by_id ${id},
      parent_id ${id} references project_tokens (id)
    ) ${options}`,
    sql`create unique index project_tokens_by_digest on project_tokens (digest)`,
    sql`create index project_tokens_by_project on project_tokens (project_id, id)`,
    sql`create index project_tokens_by_parent on project_tokens (parent_id)`,

    sql`create table agents (
      id ${id} not null primary key,
      project_id ${id} not null references projects (id),
      machine_id ${text} not null,
      name ${text} not null,
      type ${text},
      version ${text},
      edition ${text},
      os ${text},
      arch ${text},
      flags ${text} not null,
      metadata ${text} not null,
      tags ${text} not null,
      fleet_id ${text},
      registered_with ${id},
      epoch ${integer} not null,
      config_id ${id},
      config_digest ${text},
      created_at ${integer} not null,
      updated_at ${integer} not null,
      last_seen_at ${integer} not null,
      deleted_at ${integer}
    ) ${options}`,
    sql`create unique index agents_by_machine on agents (project_id, machine_id) where deleted_at is null`,
    sql`create index agents_by_project on agents (project_id, id) where deleted_at is null`,
    sql`create index agents_by_token on agents (registered_with) where deleted_at is null`,

    sql`create table agent_tokens (
      agent_id ${id} not null,
      digest ${text} not null,
      sequence ${id} not null,
      created_at ${integer} not null,
      primary key (agent_id, digest)
    ) ${options}`,
    sql`create index agent_tokens_by_digest on agent_tokens (digest)`,

    sql`create table agent_configs (
      agent_id ${id} not null,
      id ${id} not null,
      epoch ${integer} not null,
      raw_config ${text} not null,
      created_at ${integer} not null,
      primary key (agent_id, id)
    ) ${options}`,

    sql`create table agent_errors (
      agent_id ${id} not null,
      id ${id} not null,
      project_id ${id} not null,
      error ${text} not null,
      error_digest ${bytes} not null,
      epoch ${integer} not null,
      config_id ${id},
      created_at ${integer} not null,
      occurrences ${integer} not null,
      last_seen_at ${integer} not null,
      dismissed_at ${integer},
      dismiss_reason ${text},
      dismissed_by_kind ${text},
      dismissed_by_id ${id},
      primary key (agent_id, id)
    ) ${options}`,
    // The ignore rule: one open error for each agent, configuration and text.
    sql`create unique index agent_errors_open on agent_errors (agent_id, epoch, error_digest)
      where dismissed_at is null`,
    sql`create index agent_errors_by_project on agent_errors (project_id, id)`,
    sql`create index agent_errors_open_by_project on agent_errors (project_id, id) where dismissed_at is null`,
    sql`create index agent_errors_by_id on agent_errors (id)`,
    sql`create index agent_errors_by_dismissal on agent_errors (dismissed_at) where dismissed_at is not null`,
  ];
  for (const statement of statements) await statement.execute(db);
}
