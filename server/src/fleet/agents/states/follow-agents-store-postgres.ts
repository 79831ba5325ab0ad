import type { AgentStatus } from '@muster/contract';
import { type Kysely, sql } from 'kysely';
import type { PartitionsMoment } from '../../../foundation/counted-portion.ts';
import {
  countingPartitionOf,
  hasWaitingSql,
  waitingIn,
} from '../../../foundation/database/counting-partition.ts';
import type { PostgresDatabase } from '../../../foundation/database/database.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import {
  type ChangedAgent,
  compareStates,
  type JudgedAgent,
  judgeAgent,
  maxChangedAgents,
  type StateChanges,
  statusEventType,
} from './agent-state.ts';

/**
 * Counts agents that may have changed, in the transaction of a portion. Returns the partitions in which there are more.
 *
 * Call it with the locks of the partitions: one replica at a time compares its agents with what was counted.
 */
export async function followAgentsOnPostgres(
  trx: Kysely<Tables>,
  { partitions, ...moment }: PartitionsMoment,
): Promise<readonly number[]> {
  const { ids, fullPartitions } = await takeChanges(trx, partitions);
  if (ids.length === 0) return [];
  const judged = (await readAgents(trx, ids)).map((agent) => judgeAgent(agent, moment));
  const heard = await correctSigns(trx, judged);
  const { written, removed, counts, versions, events } = compareStates(
    judged.filter(({ agent }) => !heard.has(agent.id)),
  );
  await writeStates(trx, written);
  await removeStates(trx, removed);
  await addCounts(trx, counts);
  await addVersions(trx, versions);
  await insertEvents(trx, events);
  const projectsHeard = judged.filter(({ agent }) => heard.has(agent.id)).map(({ agent }) => agent.projectID);
  return [...fullPartitions, ...projectsHeard.map(countingPartitionOf)];
}

/** The partitions with agents that may have changed. */
export async function partitionsWithChangedAgents({ postgres }: PostgresDatabase): Promise<number[]> {
  const rows = await postgres.query<{ part: number }>(
    `select part from counting_partitions where ${hasWaitingSql('agent_changes')}`,
    [],
  );
  return rows.map(({ part }) => part);
}

/** What commits later with a lower key is taken later. */
async function takeChanges(
  trx: Kysely<Tables>,
  partitions: readonly number[],
): Promise<{ readonly ids: readonly string[]; readonly fullPartitions: readonly number[] }> {
  const { rows } = await sql<{ agent_id: string; part: number; changes: number }>`
    with taken as (
      delete from agent_changes
      where ctid = any(array(select place from ${waitingIn('agent_changes', partitions, maxChangedAgents)}))
      returning agent_id, part
    )
    select agent_id, part, count(*)::integer as changes from taken group by agent_id, part order by agent_id`.execute(
    trx,
  );
  const taken = new Map<number, number>();
  for (const { part, changes } of rows) taken.set(part, (taken.get(part) ?? 0) + changes);
  return {
    ids: [...new Set(rows.map(({ agent_id: id }) => id))],
    fullPartitions: partitions.filter((part) => (taken.get(part) ?? 0) >= maxChangedAgents),
  };
}

type AgentRow = ChangedAgent['facts'] & {
  readonly id: string;
  readonly project_id: string;
  readonly is_there: boolean;
  readonly name: string;
  readonly machine_id: string;
  readonly type: string;
  readonly version: string;
  readonly seen_at: number | null;
  readonly is_known: boolean;
  /** Written by the service alone. */
  readonly known_status: AgentStatus | null;
  readonly known_type: string;
  readonly known_version: string;
};

async function readAgents(trx: Kysely<Tables>, ids: readonly string[]): Promise<ChangedAgent[]> {
  const { rows } = await sql<AgentRow>`
    select agents.id, agents.project_id, agents.name, agents.machine_id, agents.created_at,
      coalesce(agents.type, '') as type, coalesce(agents.version, '') as version,
      agents.deleted_at is null and projects.deleted_at is null as is_there,
      greatest(agents.last_seen_at, coalesce(signs.seen_at, 0)) as last_seen_at,
      signs.seen_at, signs.promised_ms, signs.observed_ms, signs.offline_at, signs.stopped_at, signs.stop_failed,
      signs.exit_code, signs.signal, signs.failures, signs.failing_since, signs.failed_at, null as recovered_at,
      signs.core_instance_id, signs.unreachable_since,
      states.agent_id is not null as is_known, states.status as known_status,
      states.type as known_type, states.version as known_version,
      (
        (
          select 1 from agent_errors
          where agent_errors.agent_id = agents.id and agent_errors.epoch = agents.epoch
            and agent_errors.dismissed_at is null
          order by agent_errors.error_digest limit 1
        ) is not null
      )::integer as open_errors, null as oldest_open_error_at
    from unnest(${ids}::uuid[]) as wanted (id)
    cross join lateral (select * from agents where agents.id = wanted.id limit 1) as agents
    cross join lateral (
      select deleted_at from projects where projects.id = agents.project_id limit 1
    ) as projects
    left join lateral (
      select * from agent_signs
      where agent_signs.project_id = agents.project_id and agent_signs.agent_id = agents.id limit 1
    ) as signs on true
    left join lateral (
      select * from agent_states
      where agent_states.project_id = agents.project_id and agent_states.agent_id = agents.id limit 1
    ) as states on true
    order by agents.project_id, agents.id`.execute(trx);
  return rows.map((row) => ({
    id: row.id,
    projectID: row.project_id,
    isThere: row.is_there,
    name: row.name,
    machineID: row.machine_id,
    type: row.type,
    version: row.version,
    seenAt: row.seen_at,
    facts: row,
    known: knownOf(row),
  }));
}

function knownOf({ is_known: isKnown, known_status: status, ...row }: AgentRow): ChangedAgent['known'] {
  if (!isKnown) return undefined;
  return status === null ? null : { status, type: row.known_type, version: row.known_version };
}

/**
 * Stores since when agents are offline, and which ends are over. Returns those that were heard since they were read: they are
 * looked at again. The rows stay locked, so that a later sign of life finds what is stored here, and notes that the agent has changed.
 */
async function correctSigns(
  trx: Kysely<Tables>,
  judged: readonly JudgedAgent[],
): Promise<ReadonlySet<string>> {
  const due = judged.flatMap(({ agent, signs }) => (signs === undefined ? [] : [{ agent, signs }]));
  if (due.length === 0) return new Set();
  const { rows } = await sql<{ agent_id: string }>`
    with due as materialized (
      select signs.project_id, signs.agent_id, wanted.offline_at, wanted.stopped_at
      from unnest(
        ${due.map(({ agent }) => agent.projectID)}::uuid[], ${due.map(({ agent }) => agent.id)}::uuid[],
        ${due.map(({ agent }) => agent.seenAt)}::bigint[],
        ${due.map(({ agent }) => agent.facts.stopped_at)}::bigint[],
        ${due.map(({ signs }) => signs.offlineAt)}::bigint[], ${due.map(({ signs }) => signs.stoppedAt)}::bigint[]
      ) as wanted (project_id, agent_id, seen_at, old_stopped_at, offline_at, stopped_at)
      join agent_signs as signs on signs.project_id = wanted.project_id and signs.agent_id = wanted.agent_id
        and signs.seen_at = wanted.seen_at and signs.stopped_at is not distinct from wanted.old_stopped_at
      order by signs.project_id, signs.agent_id
      for no key update of signs
    )
    update agent_signs as signs set offline_at = due.offline_at, stopped_at = due.stopped_at
    from due where signs.project_id = due.project_id and signs.agent_id = due.agent_id
    returning signs.agent_id`.execute(trx);
  const marked = new Set(rows.map((row) => row.agent_id));
  const heard = due.filter(({ agent }) => !marked.has(agent.id)).map(({ agent }) => agent);
  if (heard.length > 0) {
    await sql`insert into agent_changes (project_id, agent_id) select * from unnest(
      ${heard.map(({ projectID }) => projectID)}::uuid[], ${heard.map(({ id }) => id)}::uuid[])`.execute(trx);
  }
  return new Set(heard.map(({ id }) => id));
}

async function writeStates(trx: Kysely<Tables>, written: StateChanges['written']): Promise<void> {
  if (written.length === 0) return;
  await sql`
    insert into agent_states (project_id, agent_id, status, type, version)
    select * from unnest(
      ${written.map(({ agent }) => agent.projectID)}::uuid[], ${written.map(({ agent }) => agent.id)}::uuid[],
      ${written.map(({ state }) => state.status)}::text[], ${written.map(({ state }) => state.type)}::text[],
      ${written.map(({ state }) => state.version)}::text[])
    on conflict (project_id, agent_id) do update
    set status = excluded.status, type = excluded.type, version = excluded.version`.execute(trx);
}

async function removeStates(trx: Kysely<Tables>, removed: readonly ChangedAgent[]): Promise<void> {
  if (removed.length === 0) return;
  await sql`
    delete from agent_states where (project_id, agent_id) in (
      select * from unnest(
        ${removed.map(({ projectID }) => projectID)}::uuid[], ${removed.map(({ id }) => id)}::uuid[]))
  `.execute(trx);
}

async function addCounts(trx: Kysely<Tables>, counts: StateChanges['counts']): Promise<void> {
  if (counts.length === 0) return;
  const column = (status: AgentStatus) => counts.map(({ agents }) => agents[status]);
  await sql`
    insert into project_counts as known (
      project_id, healthy_agents, unhealthy_agents, offline_agents, stopped_agents, unknown_agents
    )
    select * from unnest(
      ${counts.map(({ projectID }) => projectID)}::uuid[], ${column('healthy')}::bigint[],
      ${column('unhealthy')}::bigint[], ${column('offline')}::bigint[], ${column('stopped')}::bigint[],
      ${column('unknown')}::bigint[])
    on conflict (project_id) do update
    set healthy_agents = known.healthy_agents + excluded.healthy_agents,
      unhealthy_agents = known.unhealthy_agents + excluded.unhealthy_agents,
      offline_agents = known.offline_agents + excluded.offline_agents,
      stopped_agents = known.stopped_agents + excluded.stopped_agents,
      unknown_agents = known.unknown_agents + excluded.unknown_agents`.execute(trx);
}

async function addVersions(trx: Kysely<Tables>, versions: StateChanges['versions']): Promise<void> {
  if (versions.length === 0) return;
  await sql`
    insert into agent_version_counts as known (project_id, type, version, agents)
    select * from unnest(
      ${versions.map(({ projectID }) => projectID)}::uuid[], ${versions.map(({ type }) => type)}::text[],
      ${versions.map(({ version }) => version)}::text[], ${versions.map(({ agents }) => agents)}::bigint[])
    on conflict (project_id, type, version) do update set agents = known.agents + excluded.agents`.execute(
    trx,
  );
  const fewer = versions.filter(({ agents }) => agents < 0);
  if (fewer.length === 0) return;
  await sql`
    delete from agent_version_counts where agents = 0 and (project_id, type, version) in (
      select * from unnest(
        ${fewer.map(({ projectID }) => projectID)}::uuid[], ${fewer.map(({ type }) => type)}::text[],
        ${fewer.map(({ version }) => version)}::text[]))`.execute(trx);
}

async function insertEvents(trx: Kysely<Tables>, events: StateChanges['events']): Promise<void> {
  if (events.length === 0) return;
  await sql`
    insert into event_changes (project_id, type, data)
    select project_id, ${statusEventType}::text, data from unnest(
      ${events.map(({ projectID }) => projectID)}::uuid[], ${events.map(({ data }) => data)}::text[]
    ) as event (project_id, data)`.execute(trx);
}
