import type { AgentStatus } from '@muster/contract';
import type { SqliteRow, SqliteValue } from '../../../foundation/database/sqlite/sqlite-messages.ts';
import type { SqliteStatements } from '../../../foundation/database/sqlite/sqlite-procedure.ts';
import type { Moment } from '../liveness/agent-status.ts';
import {
  type ChangedAgent,
  compareStates,
  judgeAgent,
  maxChangedAgents,
  statusEventType,
} from './agent-state.ts';

/** Counts agents that may have changed, in the transaction of a portion. Returns whether there are more. */
export function followAgentsOnSqlite(statements: SqliteStatements, moment: Moment): boolean {
  const taken = statements.all(selectChangesSql, maxChangedAgents);
  const last = taken.at(-1)?.key;
  if (last === undefined) return false;
  statements.run('delete from agent_changes where key <= ?1', last);
  const ids = new Set(taken.map((row) => String(row.agent_id)));
  const judged = [...ids].flatMap((id) => {
    const row = statements.get(selectAgentSql, id);
    return row === undefined ? [] : [judgeAgent(agentOf(row), moment)];
  });
  for (const { agent, signs } of judged) {
    if (signs === undefined) continue;
    statements.run(correctSignsSql, agent.projectID, agent.id, signs.offlineAt, signs.stoppedAt);
  }
  const { written, removed, counts, versions, events } = compareStates(judged);
  for (const { agent, state } of written) {
    statements.run(upsertStateSql, agent.projectID, agent.id, state.status, state.type, state.version);
  }
  for (const { projectID, id } of removed) statements.run(deleteStateSql, projectID, id);
  for (const { projectID, agents } of counts) {
    const { healthy, unhealthy, offline, stopped, unknown } = agents;
    statements.run(upsertCountsSql, projectID, healthy, unhealthy, offline, stopped, unknown);
  }
  for (const { projectID, type, version, agents } of versions) {
    statements.run(upsertVersionSql, projectID, type, version, agents);
    if (agents < 0) statements.run(deleteVersionSql, projectID, type, version);
  }
  for (const { projectID, data } of events) statements.run(insertEventSql, projectID, statusEventType, data);
  return taken.length === maxChangedAgents;
}

function agentOf(row: SqliteRow): ChangedAgent {
  return {
    id: String(row.id),
    projectID: String(row.project_id),
    isThere: row.is_there === 1,
    name: String(row.name),
    machineID: String(row.machine_id),
    type: String(row.type),
    version: String(row.version),
    seenAt: numberOf(row.seen_at),
    known: knownOf(row),
    facts: {
      created_at: Number(row.created_at),
      last_seen_at: Number(row.last_seen_at),
      promised_ms: numberOf(row.promised_ms),
      observed_ms: numberOf(row.observed_ms),
      offline_at: numberOf(row.offline_at),
      stopped_at: numberOf(row.stopped_at),
      stop_failed: numberOf(row.stop_failed),
      exit_code: numberOf(row.exit_code),
      signal: typeof row.signal === 'string' ? row.signal : null,
      failures: numberOf(row.failures),
      failing_since: numberOf(row.failing_since),
      failed_at: numberOf(row.failed_at),
      recovered_at: null,
      core_instance_id: typeof row.core_instance_id === 'string' ? row.core_instance_id : null,
      unreachable_since: numberOf(row.unreachable_since),
      open_errors: Number(row.has_open_error),
      oldest_open_error_at: null,
    },
  };
}

function knownOf(row: SqliteRow): ChangedAgent['known'] {
  if (row.is_known !== 1) return undefined;
  if (row.known_status === null) return null;
  return {
    status: String(row.known_status) as AgentStatus, // written by the service alone
    type: String(row.known_type),
    version: String(row.known_version),
  };
}

function numberOf(value: SqliteValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}

const selectChangesSql = 'select key, agent_id from agent_changes order by key limit ?1';

const selectAgentSql = `
  select agents.id, agents.project_id, agents.name, agents.machine_id, agents.created_at,
    coalesce(agents.type, '') as type, coalesce(agents.version, '') as version,
    agents.deleted_at is null and projects.deleted_at is null as is_there,
    max(agents.last_seen_at, coalesce(signs.seen_at, 0)) as last_seen_at,
    signs.seen_at, promised_ms, observed_ms, offline_at, stopped_at, stop_failed, exit_code, signal,
    failures, failing_since, failed_at, core_instance_id, unreachable_since,
    states.agent_id is not null as is_known, states.status as known_status,
    states.type as known_type, states.version as known_version,
    (
      select 1 from agent_error_rows indexed by agent_error_rows_open
      where agent_key = (select key from id_keys where id_keys.id = agents.id)
        and agent_error_rows.epoch = agents.epoch and agent_error_rows.dismissed_at is null
      limit 1
    ) is not null as has_open_error
  from agents
  cross join projects on projects.id = agents.project_id
  left join agent_signs as signs on signs.project_id = agents.project_id and signs.agent_id = agents.id
  left join agent_states as states on states.project_id = agents.project_id and states.agent_id = agents.id
  where agents.id = ?1`;

const correctSignsSql = `
  update agent_signs set offline_at = ?3, stopped_at = ?4 where project_id = ?1 and agent_id = ?2`;

const upsertStateSql = `
  insert into agent_states (project_id, agent_id, status, type, version) values (?1, ?2, ?3, ?4, ?5)
  on conflict (project_id, agent_id) do update
  set status = excluded.status, type = excluded.type, version = excluded.version`;

const deleteStateSql = 'delete from agent_states where project_id = ?1 and agent_id = ?2';

const upsertCountsSql = `
  insert into project_counts (
    project_id, healthy_agents, unhealthy_agents, offline_agents, stopped_agents, unknown_agents
  ) values (?1, ?2, ?3, ?4, ?5, ?6)
  on conflict (project_id) do update
  set healthy_agents = healthy_agents + excluded.healthy_agents,
    unhealthy_agents = unhealthy_agents + excluded.unhealthy_agents,
    offline_agents = offline_agents + excluded.offline_agents,
    stopped_agents = stopped_agents + excluded.stopped_agents,
    unknown_agents = unknown_agents + excluded.unknown_agents`;

const upsertVersionSql = `
  insert into agent_version_counts (project_id, type, version, agents) values (?1, ?2, ?3, ?4)
  on conflict (project_id, type, version) do update set agents = agents + excluded.agents`;

const deleteVersionSql = `
  delete from agent_version_counts where project_id = ?1 and type = ?2 and version = ?3 and agents = 0`;

const insertEventSql = 'insert into event_changes (project_id, type, data) values (?1, ?2, ?3)';
