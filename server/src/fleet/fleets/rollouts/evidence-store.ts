import { fleetRejectedAfterSeconds, reachableSince } from '@muster/contract';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { deliveredUntil } from '../fleet-agent-store.ts';
import { readNewCauses } from './new-cause-store.ts';
import { stageBeganAt } from './rollout-history.ts';
import { stagesOf } from './rollout-stages.ts';
import type { RolloutRow } from './rollout-store.ts';
import { isAlive, isOutOfTurn, type Side, seats, sign, stageOfAgent } from './seat-store.ts';
import type { GroupCounts, HardFailure, StageEvidence } from './stage-evidence.ts';

const maxNamed = 20;

/** How far the agents of a rollout are. */
export interface RolloutProgress {
  readonly offered: number;
  readonly applied: number;
  readonly rejected: number;
  readonly observed: number;
  /** Agents that have something newer than the fleet serves to everybody. */
  readonly ahead: number;
}

interface CountedAgents {
  readonly progress: RolloutProgress;
  /** Whether there may be hard failures. */
  readonly hasFailed: boolean;
  readonly alive: GroupCounts;
  readonly lost: GroupCounts;
}

/** How far the agents of a rollout are, without what they show. */
export async function readProgress(
  db: Kysely<Tables>,
  rollout: RolloutRow,
  now: number,
): Promise<RolloutProgress> {
  return (await countSeats(db, rollout, now)).progress;
}

/** What the stage of a rollout shows, and how far it is. All is read from rows, so that every replica sees the same, also after a kill. */
export async function readEvidence(
  db: Kysely<Tables>,
  engine: Engine,
  rollout: RolloutRow,
  now: number,
): Promise<{ readonly evidence: StageEvidence; readonly progress: RolloutProgress }> {
  const { progress, hasFailed, alive, lost } = await countSeats(db, rollout, now);
  const stages = stagesOf(rollout);
  const soakMilliseconds = (stages[rollout.stage]?.soakSeconds ?? 0) * 1_000;
  return {
    progress,
    evidence: {
      now,
      stage: {
        isLast: rollout.stage === stages.length - 1,
        startedAt: rollout.stage_started_at,
        soakMilliseconds,
        unseenMilliseconds: rollout.unseen_ms,
        pacedMilliseconds: pacedMilliseconds(rollout),
        agents: rollout.stage_agents,
        observed: progress.observed,
        silentSites: await listSilentSites(db, rollout, now),
      },
      running: alive,
      // Looked up only if there are any, because it reads every agent of the fleet again.
      hardFailures: hasFailed ? await listHardFailures(db, rollout, now) : [],
      lost,
      ...(progress.offered > 0
        ? await readNewCauses(db, engine, rollout, now)
        : {
            causes: [],
            worse: { stage: 0, earlier: 0, control: 0 },
            worseFirstAt: { stage: [], earlier: [] },
          }),
    },
  };
}

function pacedMilliseconds(rollout: RolloutRow): number {
  const { max_per_minute: maxPerMinute, stage, held_ms } = rollout;
  const agents = stagesOf(rollout)[stage]?.agentsCount ?? 0;
  return maxPerMinute === null ? 0 : held_ms + (agents / maxPerMinute) * 60_000;
}

interface DownloadedBy {
  readonly agents: 'seats' | 'fleet_agents';
  readonly isApplied: RawBuilder<unknown>;
  readonly isHeard: RawBuilder<unknown>;
}

/** It has downloaded the version, is heard, and goes on with another one. */
function isRejected(
  rollout: RolloutRow,
  now: number,
  { agents, isApplied, isHeard }: DownloadedBy,
): RawBuilder<unknown> {
  return sql`downloaded_seconds = ${rollout.to_seconds} and not ${isApplied} and downloaded_at <= ${rejectedSince(now)}
    and ${isHeard} and ${isDeliveredAfter(rollout, agents, rejectedAfter)}`;
}

/** It was offered other values of what it has. As long as nothing is downloaded, it is not known whether it has got them. */
const isRenewed = sql`shift_seconds > 0 and values_digest is not null and structure is not null`;

/** It said with a failure that it has stopped, since it was offered the version. */
const isCrashed = sql`is_offered = 1 and failed_at >= offered_at`;

/** Everything that the site of an agent was sent until then has arrived: what waits there is no evidence yet. True for agents behind no site. */
function isDeliveredAfter(
  { project_id }: RolloutRow,
  agents: 'seats' | 'fleet_agents' | 'placed',
  time: RawBuilder<unknown>,
): RawBuilder<unknown> {
  // Most projects have no site, so that no agent has to be looked at.
  return sql`(not exists (select 1 from core_instances where project_id = ${project_id} and deleted_at is null)
    or not exists (
      select 1 from agent_signs join core_instances on core_instances.id = core_instance_id and core_instances.deleted_at is null
      where agent_signs.project_id = ${project_id} and agent_signs.agent_id = ${sql.ref(`${agents}.agent_id`)} and ${sql.raw(deliveredUntil)} < ${time}))`;
}

const rejectedAfter = sql`downloaded_at + ${sql.lit(fleetRejectedAfterSeconds * 1_000)}`;

/** Its site has delivered for a while since. */
const lostAfter = sql`offline_at + ${sql.lit(fleetRejectedAfterSeconds * 1_000)}`;

function rejectedSince(now: number): number {
  return now - fleetRejectedAfterSeconds * 1_000;
}

/**
 * Counts without looking at the status and the stage of each agent, since a fleet can have a hundred thousand: those that are not healthy are looked at alone,
 * and so are those of earlier stages.
 */
async function countSeats(db: Kysely<Tables>, rollout: RolloutRow, now: number): Promise<CountedAgents> {
  const { id, project_id, fleet_id, to_seconds, stage, unseen_ms, shared_given: given } = rollout;
  const soakMilliseconds = (stagesOf(rollout)[stage]?.soakSeconds ?? 0) * 1_000;
  const isApplied = sql`coalesce(applied_seconds, 0) = ${to_seconds}`;
  const isHeard = sql`exists (select 1 from agent_states where agent_states.project_id = ${project_id}
      and agent_states.agent_id = fleet_agents.agent_id and ${isAlive})`;
  const observedAfter = sql`coalesce(confirmed_at, downloaded_at) + ${sql.lit(soakMilliseconds + unseen_ms)}`;
  const { rows: counted } = await sql<
    Record<'agents' | 'shared' | 'outOfTurn' | keyof RolloutProgress, number>
  >`
    select cast(count(*) as integer) as agents,
      ${countOf(sql`offered_seconds = ${to_seconds}`)} as offered,
      ${countOf(sql`offered_seconds = ${to_seconds} and handle is null`)} as shared,
      ${countOf(isApplied)} as applied,
      ${countOf(sql`${isApplied} and ${isOutOfTurn(rollout)}`)} as "outOfTurn",
      ${countOf(isRejected(rollout, now, { agents: 'fleet_agents', isApplied, isHeard }))} as rejected,
      ${countOf(sql`${isApplied} and coalesce(confirmed_at, downloaded_at) <= ${now - soakMilliseconds - unseen_ms}
        and ${stageOfAgent(rollout)} = ${sql.lit(stage)} and ${isHeard} and ${isDeliveredAfter(rollout, 'fleet_agents', observedAfter)}`)} as observed,
      ${countOf(sql`coalesce(downloaded_seconds, case when handle is null then applied_seconds when ${isRenewed} then offered_seconds end, 0) = ${to_seconds}`)} as ahead
    from fleet_agents where project_id = ${project_id} and fleet_id = ${fleet_id}`.execute(db);
  const { rows: former } = await sql<{ agents: number }>`
    select cast(count(*) as integer) as agents from rollout_agents cross join fleet_agents
    where rollout_id = ${id} and rollout_agents.stage < ${sql.lit(stage)}
      and fleet_id = ${fleet_id} and fleet_agents.agent_id = rollout_agents.agent_id and ${isApplied}`.execute(
    db,
  );
  const unwell = await countUnwell(db, rollout);
  const [
    { agents = 0, shared = 0, outOfTurn = 0, ...all } = {
      offered: 0,
      applied: 0,
      rejected: 0,
      observed: 0,
      ahead: 0,
    },
  ] = counted;
  const earlier = former[0]?.agents ?? 0;
  const countOn = (side: Side, by: 'side' | 'givenSide', column: 'silent' | 'lost') =>
    unwell.reduce((sum, row) => sum + (row[by] === side ? row[column] : 0), 0);
  const countsOf = (by: 'side' | 'givenSide', column: 'silent' | 'lost'): GroupCounts => ({
    stage: countOn('stage', by, column),
    earlier: countOn('earlier', by, column),
    control: countOn('control', by, column),
  });
  const silent = countsOf('side', 'silent');
  return {
    // Of some that got it, it is not known yet who they are.
    progress: { ...all, offered: all.offered + Math.max(given - shared, 0) },
    hasFailed: all.rejected > 0 || unwell.some(({ crashed }) => crashed > 0),
    alive: {
      stage: all.applied - outOfTurn - earlier - silent.stage,
      earlier: earlier - silent.earlier,
      control: agents - all.applied - silent.control,
    },
    lost: countsOf('givenSide', 'lost'),
  };
}

interface CountedUnwell {
  readonly side: Side;
  /** Of an agent that got the version and was not heard since, not even that it runs it: where it would be. */
  readonly givenSide: Side;
  readonly silent: number;
  readonly lost: number;
  readonly crashed: number;
}

/** Agents that are not healthy, by side. */
async function countUnwell(db: Kysely<Tables>, rollout: RolloutRow): Promise<readonly CountedUnwell[]> {
  const { project_id, fleet_id, to_seconds, stage, started_at } = rollout;
  // Losses of earlier stages were compared in these. Of the agents that fell silent then, more and more of those without the version are left.
  const isOfStage = sql`${lostAfter} >= ${stageBeganAt(rollout)}`;
  const givenSide = sql`case when given_stage is null then 'control'
        when given_stage < ${sql.lit(stage)} then 'earlier' else 'stage' end`;
  const { rows } = await sql<CountedUnwell>`
    with placed as (
      select fleet_agents.agent_id, status,
        case when offered_seconds = ${to_seconds} then 1 else 0 end as is_offered, coalesce(offered_at, ${started_at}) as offered_at,
        case when applied_seconds = ${to_seconds} then 1 else 0 end as is_applied,
        case when (applied_seconds = ${to_seconds} or offered_seconds = ${to_seconds}) and not ${isOutOfTurn(rollout)}
          then ${stageOfAgent(rollout)} end as given_stage,
        case when status = 'offline' then (select offline_at ${sign}) end as offline_at,
        case when status = 'unhealthy' then (select failed_at ${sign}) end as failed_at
      from agent_states cross join fleet_agents
      where agent_states.project_id = ${project_id} and (status is null or status <> 'healthy')
        and fleet_agents.project_id = ${project_id} and fleet_agents.agent_id = agent_states.agent_id
        and fleet_id = ${fleet_id} and not (coalesce(applied_seconds, 0) = ${to_seconds} and ${isOutOfTurn(rollout)}))
    select case when is_applied = 1 then ${givenSide} else 'control' end as side, ${givenSide} as "givenSide",
      ${countOf(sql`status is null or not ${isAlive}`)} as silent,
      ${countOf(sql`offline_at >= case when is_offered = 1 then offered_at else ${started_at} end
        and ${isOfStage} and ${isDeliveredAfter(rollout, 'placed', lostAfter)}`)} as lost,
      ${countOf(isCrashed)} as crashed
    from placed group by 1, 2`.execute(db);
  return rows;
}

function countOf(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`cast(count(case when ${condition} then 1 end) as integer)`;
}

async function listHardFailures(
  db: Kysely<Tables>,
  rollout: RolloutRow,
  now: number,
): Promise<HardFailure[]> {
  const { to_seconds } = rollout;
  const hasVersion = sql`(offered_seconds = ${to_seconds} or downloaded_seconds = ${to_seconds}) and not ${isOutOfTurn(rollout)}`;
  const ofSeats = { agents: 'seats', isApplied: sql`is_applied = 1`, isHeard: isAlive } as const;
  const { rows } = await sql<Pick<HardFailure, 'agentID' | 'kind'> & { isOfStage: number }>`
    with seats as (${seats(rollout, hasVersion)}), failed as (
      select agent_id, is_earlier, case when ${isRejected(rollout, now, ofSeats)} then 'rejected' when ${isCrashed} then 'crashed' end as kind
      from seats)
    select agent_id as "agentID", kind, 1 - is_earlier as "isOfStage" from failed where kind is not null
    order by agent_id`.execute(db);
  return rows.map((row) => ({ ...row, isOfStage: row.isOfStage === 1 }));
}

async function listSilentSites(db: Kysely<Tables>, rollout: RolloutRow, now: number): Promise<string[]> {
  const { id, project_id, fleet_id, stage, stages } = rollout;
  const last = stagesOf({ stages }).length - 1;
  const { rows } = await sql<{ name: string }>`
    select name from core_instances
    where project_id = ${project_id} and deleted_at is null
      and ${sql.raw(deliveredUntil)} < ${reachableSince(now)}
      and exists (
        select 1 from agent_signs
        join fleet_agents on fleet_agents.project_id = agent_signs.project_id
          and fleet_agents.agent_id = agent_signs.agent_id
        join agents on agents.id = fleet_agents.agent_id and agents.deleted_at is null
        left join rollout_agents on rollout_id = ${id} and rollout_agents.agent_id = fleet_agents.agent_id
        where agent_signs.core_instance_id = core_instances.id and fleet_agents.fleet_id = ${fleet_id}
          and coalesce(rollout_agents.stage, ${sql.lit(last)}) = ${sql.lit(stage)})
    order by 1 limit ${sql.lit(maxNamed)}`.execute(db);
  return rows.map(({ name }) => name);
}
