import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes, type Engine, tableOptions } from './column-types.ts';

/**
 * The status of each agent as it was last counted, the counts of each project, and what they are counted from.
 *
 * Triggers append each agent whose status or version may have changed to `agent_changes`, in the transaction that changes it.
 * The one consumer of the changes of errors compares these agents with `agent_states`, and counts the differences. On SQLite, it
 * appends agents with their first or no open error itself: with a trigger, each pair that it writes would cost more.
 */
export async function addAgentStates(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { id, text, integer } = columnTypes(engine);
  const options = tableOptions(engine);
  const isSqlite = engine === 'sqlite';
  const statements = [
    // Null: not counted yet. An empty text: the agent did not say.
    sql`create table agent_states (
      project_id ${id} not null,
      agent_id ${id} not null,
      status ${text},
      type ${text} not null,
      version ${text} not null,
      primary key (project_id, agent_id)
    ) ${options}`,
    sql`create table project_counts (
      project_id ${id} not null primary key,
      healthy_agents ${integer} not null default 0,
      unhealthy_agents ${integer} not null default 0,
      offline_agents ${integer} not null default 0,
      stopped_agents ${integer} not null default 0,
      current_errors ${integer} not null default 0,
      superseded_errors ${integer} not null default 0,
      open_groups ${integer} not null default 0
    ) ${isSqlite ? options : sql`with (fillfactor = 50)`}`,
    sql`create table agent_version_counts (
      project_id ${id} not null,
      type ${text} not null,
      version ${text} not null,
      agents ${integer} not null,
      primary key (project_id, type, version)
    ) ${options}`,
    sql`create index agent_version_counts_by_agents on agent_version_counts
      (project_id, agents desc, type, version)`,
    // The periods in which the service has listened to agents, by its own clock.
    sql`create table listening_periods (
      started_at ${integer} not null primary key,
      ended_at ${integer} not null
    ) ${options}`,
    sql`create index agent_error_groups_by_first_seen on agent_error_groups (project_id, first_seen_at)`,
    sql`create index project_tokens_by_expiry on project_tokens (expires_at)
      where revoked_at is null and expires_at is not null`,
    // Since when the agent is known to be offline. Null: it is not, or that was not noticed yet.
    sql`alter table agent_signs add column offline_at ${integer}`,
    // Why the service itself deleted the agent. Null: somebody did.
    sql`alter table agents add column deletion_reason ${text}`,
    ...(isSqlite ? sqliteStatements : postgresStatements),
    // Agents from before are counted without an event.
    sql`insert into agent_states (project_id, agent_id, status, type, version)
      select project_id, id, null, '', '' from agents where deleted_at is null`,
    sql`insert into agent_changes (project_id, agent_id)
      select project_id, id from agents where deleted_at is null order by id`,
    sql`insert into project_counts (project_id, current_errors, superseded_errors, open_groups)
      select project_id, sum(current_errors), sum(superseded_errors), count(case when current_errors > 0 then 1 end)
      from agent_error_groups group by project_id`,
  ];
  for (const statement of statements) await statement.execute(db);
}

const insertChange = sql`insert into agent_changes (project_id, agent_id)`;
const insertEvent = sql`insert into event_changes (project_id, type, data)`;

const isOther = (column: string): RawBuilder<unknown> =>
  sql.raw(`old.${column} is distinct from new.${column}`);

const isOtherAgent = sql.join(
  ['deleted_at', 'last_seen_at', 'type', 'version', 'epoch'].map(isOther),
  sql` or `,
);

/** Not a sign of life of an agent that is running. */
const isOtherEnd = sql`${sql.join(['stopped_at', 'stop_failed', 'failures', 'failed_at'].map(isOther), sql` or `)}
  or (old.offline_at is not null and new.offline_at is null)`;

const hasEnd = sql`new.stopped_at is not null or new.failures > 0`;

const sqliteAgent = sql`json_object('agentID', new.id, 'name', new.name, 'machineID', new.machine_id,
  'reason', new.deletion_reason)`;
const sqliteDismissal = sql`json_object('dismissalID', new.id, 'reason', new.reason,
  'errorsCount', new.errors_count, 'agentsCount', new.agents_count, 'reopenedCount', new.reopened_count)`;

const sqliteStatements: readonly RawBuilder<unknown>[] = [
  sql`create table agent_changes (
    key integer primary key,
    project_id text not null,
    agent_id text not null
  ) strict`,
  sql`create trigger agents_state_added after insert on agents when new.deleted_at is null begin
    ${insertChange} values (new.project_id, new.id);
  end`,
  sql`create trigger agents_state_changed
    after update of deleted_at, last_seen_at, type, version, epoch on agents when ${isOtherAgent} begin
    ${insertChange} values (new.project_id, new.id);
  end`,
  sql`create trigger agent_signs_state_added after insert on agent_signs when ${hasEnd} begin
    ${insertChange} values (new.project_id, new.agent_id);
  end`,
  sql`create trigger agent_signs_state_changed after update on agent_signs when ${isOtherEnd} begin
    ${insertChange} values (new.project_id, new.agent_id);
  end`,
  sql`drop trigger agents_event_deleted`,
  sql`create trigger agents_event_deleted after update of deleted_at on agents
    when old.deleted_at is null and new.deleted_at is not null begin
    ${insertEvent} values (new.project_id, 'agent.deleted', ${sqliteAgent});
  end`,
  sql`create trigger dismissals_event_created after insert on dismissals begin
    ${insertEvent} values (new.project_id, 'dismissal.created', ${sqliteDismissal});
  end`,
  sql`create trigger dismissals_event_ended after update of state on dismissals
    when old.state <> new.state and new.state in ('done', 'undone') begin
    ${insertEvent} values (new.project_id,
      case new.state when 'done' then 'dismissal.finished' else 'dismissal.undone' end, ${sqliteDismissal});
  end`,
];

const postgresAgent = sql`json_build_object('agentID', new.id, 'name', new.name, 'machineID', new.machine_id,
  'reason', new.deletion_reason)::text`;
const postgresDismissal = sql`json_build_object('dismissalID', new.id, 'reason', new.reason,
  'errorsCount', new.errors_count, 'agentsCount', new.agents_count, 'reopenedCount', new.reopened_count)::text`;

const rowFunction = (name: string, statement: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`create function ${sql.id(name)}() returns trigger language plpgsql as $$
    begin
      ${statement};
      return null;
    end $$`;

const pairTrigger = (
  event: 'insert' | 'update' | 'delete',
  rows: RawBuilder<unknown>,
  from: RawBuilder<unknown>,
): readonly RawBuilder<unknown>[] => {
  const name = `note_${event}_of_agent_error_pairs`;
  return [
    rowFunction(
      name,
      sql`${insertChange}
        select distinct error_groups.project_id, changed.agent_id
        from ${from} join agent_error_groups as error_groups on error_groups.id = changed.group_id`,
    ),
    sql`create trigger ${sql.id(`agent_error_pairs_state_${event}`)}
      after ${sql.raw(event)} on agent_error_group_agents
      referencing ${rows} for each statement execute function ${sql.id(name)}()`,
  ];
};

const postgresStatements: readonly RawBuilder<unknown>[] = [
  sql`create table agent_changes (
    key bigint generated always as identity primary key,
    project_id uuid not null,
    agent_id uuid not null
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
  rowFunction('note_state_of_agent', sql`${insertChange} values (new.project_id, new.id)`),
  sql`create trigger agents_state_added after insert on agents
    for each row when (new.deleted_at is null) execute function note_state_of_agent()`,
  sql`create trigger agents_state_changed after update on agents
    for each row when (${isOtherAgent}) execute function note_state_of_agent()`,
  rowFunction('note_state_of_agent_signs', sql`${insertChange} values (new.project_id, new.agent_id)`),
  sql`create trigger agent_signs_state_added after insert on agent_signs
    for each row when (${hasEnd}) execute function note_state_of_agent_signs()`,
  sql`create trigger agent_signs_state_changed after update on agent_signs
    for each row when (${isOtherEnd}) execute function note_state_of_agent_signs()`,
  ...pairTrigger(
    'insert',
    sql`new table as added`,
    sql`(select * from added where current_errors > 0) as changed`,
  ),
  ...pairTrigger(
    'update',
    sql`old table as before new table as after`,
    sql`(
      select after.* from before join after using (group_id, agent_id)
      where (before.current_errors > 0) <> (after.current_errors > 0)
    ) as changed`,
  ),
  ...pairTrigger(
    'delete',
    sql`old table as removed`,
    sql`(select * from removed where current_errors > 0) as changed`,
  ),
  rowFunction(
    'count_agent_error_groups',
    sql`insert into project_counts as known (project_id, current_errors, superseded_errors, open_groups)
      select * from (
        select after.project_id, sum(after.current_errors - before.current_errors)::bigint as current_errors,
          sum(after.superseded_errors - before.superseded_errors)::bigint as superseded_errors,
          sum((after.current_errors > 0)::integer - (before.current_errors > 0)::integer) as open_groups
        from before join after using (id)
        group by after.project_id
      ) as change
      where current_errors <> 0 or superseded_errors <> 0 or open_groups <> 0
      order by project_id
      on conflict (project_id) do update
      set current_errors = known.current_errors + excluded.current_errors,
        superseded_errors = known.superseded_errors + excluded.superseded_errors,
        open_groups = known.open_groups + excluded.open_groups`,
  ),
  sql`create trigger agent_error_groups_counted after update on agent_error_groups
    referencing old table as before new table as after
    for each statement execute function count_agent_error_groups()`,
  sql`create or replace function note_deleted_agent_event() returns trigger language plpgsql as $$
    begin
      ${insertEvent} values (new.project_id, 'agent.deleted', ${postgresAgent});
      return null;
    end $$`,
  rowFunction(
    'note_created_dismissal_event',
    sql`${insertEvent} values (new.project_id, 'dismissal.created', ${postgresDismissal})`,
  ),
  sql`create trigger dismissals_event_created after insert on dismissals
    for each row execute function note_created_dismissal_event()`,
  rowFunction(
    'note_ended_dismissal_event',
    sql`${insertEvent} values (new.project_id,
      case new.state when 'done' then 'dismissal.finished' else 'dismissal.undone' end, ${postgresDismissal})`,
  ),
  sql`create trigger dismissals_event_ended after update of state on dismissals
    for each row when (old.state <> new.state and new.state in ('done', 'undone'))
    execute function note_ended_dismissal_event()`,
];
