import { type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from '../column-types.ts';
import { noteOfConfiguredAgent } from './agent-error-changes.ts';
import { noteOfAgentState } from './agent-states.ts';
import { isAnyOther, jsonText, rowTrigger } from './row-trigger.ts';

/** Agents, their tokens and configurations, and what they say about being alive. */
export function agentTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  return [
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
      reported_with ${id},
      reregistered_at ${integer},
      reregistered_from ${text},
      released_at ${integer},
      epoch ${integer} not null,
      config_id ${id},
      config_digest ${text},
      created_at ${integer} not null,
      updated_at ${integer} not null,
      last_seen_at ${integer} not null,
      described_at ${integer},
      described_through ${id},
      deleted_at ${integer},
      deletion_reason ${text}
    ) ${options}`,
    sql`create unique index agents_by_machine on agents (project_id, machine_id) where deleted_at is null`,
    sql`create index agents_deleted_by_machine on agents (project_id, machine_id) where deleted_at is not null`,
    sql`create index agents_by_deletion on agents (deleted_at, id) where deleted_at is not null`,
    sql`create index agents_by_project on agents (project_id, id) where deleted_at is null`,
    sql`create index agents_by_fleet on agents (project_id, fleet_id)
      where deleted_at is null and fleet_id is not null`,
    sql`create index agents_by_token on agents (registered_with) where deleted_at is null`,
    sql`create index agents_by_reporting_token on agents (reported_with)
      where deleted_at is null and reported_with is not null`,
    ...agentTriggers(engine),

    sql`create table agent_tokens (
      agent_id ${id} not null,
      digest ${text} not null,
      sequence ${id} not null,
      created_at ${integer} not null,
      created_with ${id} not null,
      used_at ${integer},
      leaked_at ${integer},
      primary key (agent_id, digest)
    ) ${options}`,
    sql`create index agent_tokens_by_digest on agent_tokens (digest)`,
    sql`create index agent_tokens_by_maker on agent_tokens (created_with)`,
    ...tokenNotes(engine),

    sql`create table agent_configs (
      agent_id ${id} not null,
      id ${id} not null,
      project_id ${id} not null,
      epoch ${integer} not null,
      raw_config ${text} not null,
      text_digest ${text} not null,
      created_at ${integer} not null,
      primary key (agent_id, id)
    ) ${options}`,
    // From a project and a time to the configurations that its agents changed to. The first one of an agent (epoch 1) is no change.
    sql`create index agent_configs_by_project on agent_configs (${configsByProject(engine)})
      where project_id is not null and epoch > 1`,
    // From a text to the agents that have a configuration with it.
    sql`create index agent_configs_by_text on agent_configs (${configsByText(engine)})`,

    // Narrow, because its rows change with every sign of life, and in the order of the project, so that the few agents of a project in some state
    // are found in one short range. On PostgreSQL, without an index of what often changes, an update stays in its page.
    sql`create table agent_signs (
      project_id ${id} not null,
      agent_id ${id} not null,
      seen_at ${integer} not null,
      beat_at ${integer},
      gap_ms ${integer},
      observed_ms ${integer},
      promised_ms ${integer},
      offline_at ${integer},
      stopped_at ${integer},
      stop_failed ${integer} not null,
      exit_code ${integer},
      signal ${text},
      failures ${integer} not null,
      failing_since ${integer},
      failed_at ${integer},
      recovered_at ${integer},
      core_instance_id ${id},
      unreachable_since ${integer},
      primary key (project_id, agent_id)
    ) ${engine === 'sqlite' ? options : sql`with (fillfactor = 70)`}`,
    // The agents of a core instance. It seldom changes for an agent, so that updates still stay in their page.
    sql`create index agent_signs_by_core_instance on agent_signs (core_instance_id)
      where core_instance_id is not null`,
    ...signTriggers(engine),

    ...listeningTables(engine),
  ];
}

/** On SQLite, the key of the row is part of the index; on PostgreSQL, what is read of it has to be added. */
function configsByProject(engine: Engine): RawBuilder<unknown> {
  const columns = ['project_id', 'created_at', 'text_digest', ...(engine === 'sqlite' ? [] : ['agent_id'])];
  return sql.raw(columns.join(', '));
}

function configsByText(engine: Engine): RawBuilder<unknown> {
  const columns = ['project_id', 'text_digest', ...(engine === 'sqlite' ? [] : ['agent_id', 'id'])];
  return sql.raw(columns.join(', '));
}

function agentTriggers(engine: Engine): readonly RawBuilder<unknown>[] {
  const table = 'agents';
  const isDeleted = sql`old.deleted_at is null and new.deleted_at is not null`;
  const isReconfigured = sql`old.epoch <> new.epoch`;
  const identity = sql`'agentID', new.id, 'name', new.name, 'machineID', new.machine_id`;
  const noteOfEvent = (type: string, members: RawBuilder<unknown>) =>
    sql`insert into event_changes (project_id, type, data)
      values (new.project_id, ${sql.lit(type)}, ${jsonText(engine, members)})`;
  const ofState = {
    function: 'note_state_of_agent',
    table,
    statements: [noteOfAgentState(sql`new.id`)],
  };
  const stateColumns = ['deleted_at', 'last_seen_at', 'type', 'version', 'epoch'];
  return [
    ...rowTrigger(engine, {
      name: 'agents_configured',
      function: 'note_configured_agent',
      table,
      event: 'update of epoch',
      condition: isReconfigured,
      statements: [noteOfConfiguredAgent(engine)],
    }),
    ...rowTrigger(engine, {
      name: 'agents_event_registered',
      function: 'note_registered_agent_event',
      table,
      event: 'insert',
      condition: sql`new.deleted_at is null`,
      statements: [noteOfEvent('agent.registered', identity)],
    }),
    ...rowTrigger(engine, {
      name: 'agents_event_configured',
      function: 'note_configured_agent_event',
      table,
      event: 'update of epoch',
      condition: isReconfigured,
      statements: [noteOfEvent('agent.configuration_changed', identity)],
    }),
    ...rowTrigger(engine, {
      name: 'agents_event_deleted',
      function: 'note_deleted_agent_event',
      table,
      event: 'update of deleted_at',
      condition: isDeleted,
      statements: [noteOfEvent('agent.deleted', sql`${identity}, 'reason', new.deletion_reason`)],
    }),
    ...rowTrigger(engine, {
      ...ofState,
      name: 'agents_state_added',
      event: 'insert',
      condition: sql`new.deleted_at is null`,
    }),
    ...rowTrigger(engine, {
      ...ofState,
      name: 'agents_state_changed',
      event: engine === 'sqlite' ? `update of ${stateColumns.join(', ')}` : 'update',
      condition: isAnyOther(stateColumns),
    }),
    ...rowTrigger(engine, {
      name: 'agents_noted_deleted',
      table,
      event: engine === 'sqlite' ? 'update of deleted_at' : 'update',
      condition: isDeleted,
      statements: [
        sql`insert into credential_notes (project_id, kind, digest)
          select new.project_id, 'agent', digest from agent_tokens where agent_id = new.id`,
      ],
    }),
  ];
}

/** A site hears of each token of an agent that is added or removed. */
function tokenNotes(engine: Engine): readonly RawBuilder<unknown>[] {
  const noteOf = (row: 'old' | 'new') =>
    sql`insert into credential_notes (project_id, kind, digest)
      select project_id, 'agent', ${sql.raw(`${row}.digest`)} from agents where id = ${sql.raw(`${row}.agent_id`)}`;
  const table = 'agent_tokens';
  return [
    ...rowTrigger(engine, {
      name: 'agent_tokens_noted_added',
      table,
      event: 'insert',
      statements: [noteOf('new')],
    }),
    ...rowTrigger(engine, {
      name: 'agent_tokens_noted_removed',
      table,
      event: 'delete',
      statements: [noteOf('old')],
    }),
  ];
}

function signTriggers(engine: Engine): readonly RawBuilder<unknown>[] {
  const ofState = { table: 'agent_signs', statements: [noteOfAgentState(sql`new.agent_id`)] };
  // A sign of life of an agent that is running changes none of these.
  const isOtherEnd = sql`${isAnyOther(['stopped_at', 'stop_failed', 'failures', 'failed_at'])}
    or (old.offline_at is not null and new.offline_at is null)`;
  return [
    ...rowTrigger(engine, {
      ...ofState,
      name: 'agent_signs_state_added',
      function: 'note_state_of_agent_signs',
      event: 'insert',
      condition: sql`new.stopped_at is not null or new.failures > 0`,
    }),
    ...rowTrigger(engine, {
      ...ofState,
      name: 'agent_signs_state_changed',
      function: 'note_state_of_agent_signs',
      event: 'update',
      condition: isOtherEnd,
    }),
    ...rowTrigger(engine, {
      ...ofState,
      name: 'agent_signs_reachable_changed',
      event: engine === 'sqlite' ? 'update of unreachable_since' : 'update',
      condition: isAnyOther(['unreachable_since']),
    }),
  ];
}

function listeningTables(engine: Engine): readonly RawBuilder<unknown>[] {
  const { integer } = columnTypes(engine);
  const periods = sql`create table listening_periods (
    started_at ${integer} not null primary key,
    ended_at ${integer} not null
  ) ${tableOptions(engine)}`;
  if (engine === 'sqlite') return [periods];
  // One row: since when the replicas, taken together, hear agents without a break.
  const listening = sql`create table listening (
    id bigint not null primary key,
    heard_since bigint not null,
    renewed_at bigint not null
  )`;
  return [periods, listening];
}
