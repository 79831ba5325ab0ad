import { fleetRejectedAfterSeconds, unreachableAfterSeconds } from '@muster/contract';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { minIDAt } from '../../../foundation/clock.ts';
import { firstPlaceAt, timeAtPlaceSql } from '../../../foundation/database/id-place.ts';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { deliveredUntil } from '../fleet-agent-store.ts';
import { stagesOf } from './rollout-stages.ts';
import type { RolloutRow } from './rollout-store.ts';
import type { CauseEvidence, GroupCounts, HardFailure, StageEvidence } from './stage-evidence.ts';

/** How far the agents of a rollout are. */
export interface RolloutProgress {
  readonly offered: number;
  readonly applied: number;
  readonly rejected: number;
  readonly observed: number;
  /** Agents that have something newer than the fleet serves to everybody. */
  readonly ahead: number;
}

/** A cause of longer ago does not count as one that the agent had before. */
const minBaselineMilliseconds = 30 * 60_000;
const maxNamed = 20;

type Side = keyof GroupCounts;

interface CountedSide {
  readonly side: Side;
  readonly alive: number;
  readonly lost: number;
  readonly offered: number;
  readonly shared: number;
  readonly applied: number;
  readonly rejected: number;
  readonly observed: number;
  readonly ahead: number;
  readonly failed: number;
}

interface CountedCause {
  readonly groupID: string;
  readonly side: Side;
  readonly agents: number;
  readonly recent: number;
  readonly firstAt: number;
  readonly secondAt: number | null;
}

/** How far the agents of a rollout are, without what they show. */
export async function readProgress(
  db: Kysely<Tables>,
  rollout: RolloutRow,
  now: number,
): Promise<RolloutProgress> {
  return progressOf(rollout, await countSides(db, rollout, now));
}

/** What the stage of a rollout shows, and how far it is. All is read from rows, so that every replica sees the same, also after a kill. */
export async function readEvidence(
  db: Kysely<Tables>,
  engine: Engine,
  rollout: RolloutRow,
  now: number,
): Promise<{ readonly evidence: StageEvidence; readonly progress: RolloutProgress }> {
  const sides = await countSides(db, rollout, now);
  const countsOf = (column: 'alive' | 'lost'): GroupCounts => ({
    stage: sides.get('stage')?.[column] ?? 0,
    earlier: sides.get('earlier')?.[column] ?? 0,
    control: sides.get('control')?.[column] ?? 0,
  });
  const progress = progressOf(rollout, sides);
  const isAnybodyUpdated = progress.offered > 0;
  const causes = isAnybodyUpdated ? await listCauses(db, engine, rollout, now) : [];
  // Without a cause that is new on an updated agent, none of them is worse.
  const worse = causes.length > 0 ? await listWorse(db, engine, rollout, now) : [];
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
      running: countsOf('alive'),
      // Looked up only if there are any, because it reads every agent of the fleet again.
      hardFailures: sumOf(sides, 'failed') > 0 ? await listHardFailures(db, rollout, now) : [],
      lost: countsOf('lost'),
      causes: toCauses(causes),
      worse: {
        stage: agentsOf(worse, 'stage'),
        earlier: agentsOf(worse, 'earlier'),
        control: agentsOf(worse, 'control'),
      },
      worseFirstAt: firstTwo(worse),
    },
  };
}

function pacedMilliseconds(rollout: RolloutRow): number {
  const { max_per_minute: maxPerMinute, stage, held_ms } = rollout;
  const agents = stagesOf(rollout)[stage]?.agentsCount ?? 0;
  return maxPerMinute === null ? 0 : held_ms + (agents / maxPerMinute) * 60_000;
}

function progressOf(
  { shared_given: given }: RolloutRow,
  sides: ReadonlyMap<Side, CountedSide>,
): RolloutProgress {
  return {
    // Of some that got it, it is not known yet who they are.
    offered: sumOf(sides, 'offered') + Math.max(given - sumOf(sides, 'shared'), 0),
    applied: sumOf(sides, 'applied'),
    rejected: sumOf(sides, 'rejected'),
    observed: sumOf(sides, 'observed'),
    ahead: sumOf(sides, 'ahead'),
  };
}

function sumOf(sides: ReadonlyMap<Side, CountedSide>, column: keyof Omit<CountedSide, 'side'>): number {
  return [...sides.values()].reduce((sum, side) => sum + side[column], 0);
}

/** The last stage for agents that are not in it. */
function stageOfAgent({ id, stages }: RolloutRow): RawBuilder<unknown> {
  const last = stagesOf({ stages }).length - 1;
  return sql`coalesce((select rollout_agents.stage from rollout_agents
        where rollout_id = ${id} and rollout_agents.agent_id = fleet_agents.agent_id), ${sql.lit(last)})`;
}

/**
 * Each agent of the fleet, with what it shows. A deleted one has no status. What is known of few agents only is looked up for these alone, since a fleet can have
 * a hundred thousand.
 */
function seats(rollout: RolloutRow): RawBuilder<unknown> {
  const { project_id, fleet_id, to_seconds, stage, started_at } = rollout;
  return sql`seats as (
    select fleet_agents.agent_id,
      case when applied_seconds <> ${to_seconds} or applied_seconds is null then 'control'
        when ${stageOfAgent(rollout)} < ${sql.lit(stage)} then 'earlier' else 'stage' end as side,
      case when offered_seconds = ${to_seconds} then 1 else 0 end as is_offered,
      case when applied_seconds = ${to_seconds} then 1 else 0 end as is_applied,
      case when handle is null then 1 else 0 end as is_shared,
      coalesce(downloaded_seconds, case when handle is null then applied_seconds end, 0) as downloaded_seconds, downloaded_at,
      coalesce(offered_at, ${started_at}) as offered_at, coalesce(confirmed_at, downloaded_at) as applied_at,
      status,
      case when status = 'offline' then (select offline_at ${sign}) end as offline_at,
      case when status = 'unhealthy' then (select failed_at ${sign}) end as failed_at
    from fleet_agents
    join agent_states on agent_states.project_id = fleet_agents.project_id
      and agent_states.agent_id = fleet_agents.agent_id
    where fleet_agents.project_id = ${project_id} and fleet_agents.fleet_id = ${fleet_id})`;
}

const sign = sql`from agent_signs where agent_signs.project_id = fleet_agents.project_id
        and agent_signs.agent_id = fleet_agents.agent_id`;

const isAlive = sql`status in ('healthy', 'unhealthy')`;

/** It has downloaded the version, is heard, and goes on with another one. */
function isRejected(rollout: RolloutRow, now: number): RawBuilder<unknown> {
  return sql`is_applied = 0 and downloaded_seconds = ${rollout.to_seconds} and ${isAlive}
    and downloaded_at <= ${rejectedSince(now)} and ${isDeliveredAfter(rollout, 'seats', rejectedAfter)}`;
}

/** Everything that the site of an agent was sent until then has arrived: what waits there is no evidence yet. True for agents behind no site. */
function isDeliveredAfter(
  { project_id }: RolloutRow,
  agents: 'seats' | 'placed',
  time: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`not exists (
      select 1 from agent_signs join core_instances on core_instances.id = core_instance_id and core_instances.deleted_at is null
      where agent_signs.project_id = ${project_id} and agent_signs.agent_id = ${sql.ref(`${agents}.agent_id`)} and ${sql.raw(deliveredUntil)} < ${time})`;
}

const rejectedAfter = sql`downloaded_at + ${sql.lit(fleetRejectedAfterSeconds * 1_000)}`;

function rejectedSince(now: number): number {
  return now - fleetRejectedAfterSeconds * 1_000;
}

function isFailed(rollout: RolloutRow, now: number): RawBuilder<unknown> {
  return sql`((${isRejected(rollout, now)})
    or (is_offered = 1 and failed_at >= offered_at))`;
}

/** Counts without looking at the status of each agent: those that are not healthy are looked at alone, and those of them that are not heard are taken off. */
async function countSides(
  db: Kysely<Tables>,
  rollout: RolloutRow,
  now: number,
): Promise<ReadonlyMap<Side, CountedSide>> {
  const { project_id, fleet_id, to_seconds, stage, stage_started_at, started_at, unseen_ms } = rollout;
  const soakMilliseconds = (stagesOf(rollout)[stage]?.soakSeconds ?? 0) * 1_000;
  const countOf = (condition: RawBuilder<unknown>) =>
    sql`cast(coalesce(sum(case when ${condition} then 1 else 0 end), 0) as integer)`;
  const side = sql`case when applied_stage is null then 'control'
      when applied_stage < ${sql.lit(stage)} then 'earlier' else 'stage' end`;
  const appliedStage = sql`case when applied_seconds = ${to_seconds} then ${stageOfAgent(rollout)} end as applied_stage`;
  const downloaded = sql`coalesce(downloaded_seconds, case when handle is null then applied_seconds end, 0)`;
  const isHeard = sql`exists (select 1 from agent_states where agent_states.project_id = ${project_id}
      and agent_states.agent_id = placed.agent_id and ${isAlive})`;
  const observedAfter = sql`coalesce(confirmed_at, downloaded_at) + ${sql.lit(soakMilliseconds + unseen_ms)}`;
  // No engine takes a statement with a limit apart, so that the stage of an agent is looked up once.
  const { rows: all } = await sql<
    Omit<CountedSide, 'alive' | 'lost' | 'failed'> & { readonly agents: number }
  >`
    with placed as (select fleet_agents.*, ${appliedStage} from fleet_agents
      where project_id = ${project_id} and fleet_id = ${fleet_id} limit 1000000000)
    select ${side} as side, cast(count(*) as integer) as agents,
      ${countOf(sql`offered_seconds = ${to_seconds}`)} as offered,
      ${countOf(sql`offered_seconds = ${to_seconds} and handle is null`)} as shared,
      ${countOf(sql`applied_seconds = ${to_seconds}`)} as applied,
      ${countOf(sql`applied_stage is null and downloaded_seconds = ${to_seconds} and downloaded_at <= ${rejectedSince(now)} and ${isHeard} and ${isDeliveredAfter(rollout, 'placed', rejectedAfter)}`)} as rejected,
      ${countOf(sql`applied_stage = ${stage} and coalesce(confirmed_at, downloaded_at) <= ${now - soakMilliseconds - unseen_ms} and ${isHeard} and ${isDeliveredAfter(rollout, 'placed', observedAfter)}`)} as observed,
      ${countOf(sql`${downloaded} = ${to_seconds}`)} as ahead
    from placed group by 1`.execute(db);
  const { rows: unwell } = await sql<{ side: Side; silent: number; lost: number; crashed: number }>`
    with placed as (
      select status, offered_seconds, coalesce(offered_at, ${started_at}) as offered_at, ${appliedStage},
        case when status = 'offline' then (select offline_at ${sign}) end as offline_at,
        case when status = 'unhealthy' then (select failed_at ${sign}) end as failed_at
      from agent_states cross join fleet_agents
      where agent_states.project_id = ${project_id} and (status is null or status <> 'healthy')
        and fleet_agents.project_id = ${project_id} and fleet_agents.agent_id = agent_states.agent_id
        and fleet_id = ${fleet_id})
    select ${side} as side, ${countOf(sql`status is null or not ${isAlive}`)} as silent,
      ${countOf(sql`offline_at >= case when offered_seconds = ${to_seconds} then offered_at else ${stage_started_at} end`)} as lost,
      ${countOf(sql`offered_seconds = ${to_seconds} and failed_at >= offered_at`)} as crashed
    from placed group by 1`.execute(db);
  const unwellOf = new Map(unwell.map((row) => [row.side, row]));
  return new Map(
    all.map(({ agents, ...row }) => {
      const { silent = 0, lost = 0, crashed = 0 } = unwellOf.get(row.side) ?? {};
      return [row.side, { ...row, alive: agents - silent, lost, failed: row.rejected + crashed }];
    }),
  );
}

async function listHardFailures(
  db: Kysely<Tables>,
  rollout: RolloutRow,
  now: number,
): Promise<HardFailure[]> {
  const { rows } = await sql<HardFailure>`
    with ${seats(rollout)}
    select agent_id as "agentID", case when ${isRejected(rollout, now)} then 'rejected' else 'crashed' end as kind
    from seats
    where ${isFailed(rollout, now)}
    order by agent_id limit 1000`.execute(db);
  return rows;
}

async function listSilentSites(db: Kysely<Tables>, rollout: RolloutRow, now: number): Promise<string[]> {
  const { id, project_id, fleet_id, stage, stages } = rollout;
  const last = stagesOf({ stages }).length - 1;
  const { rows } = await sql<{ name: string }>`
    select name from core_instances
    where project_id = ${project_id} and deleted_at is null
      and ${sql.raw(deliveredUntil)} < ${now - unreachableAfterSeconds * 1_000}
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

/**
 * What an agent says when it cannot reach Muster, such as after an outage that its version has nothing to do with. An agent that a version cuts off from Muster
 * falls silent, and is found by that.
 */
const isAboutMuster = sql.raw(
  `(${[
    '[output:http:muster%',
    '[input:calyptia_fleet:%upstream connection%',
    '[output:calyptia:%',
    '[custom:calyptia:%',
    'output=calyptia.%',
    'output=muster%',
  ]
    .map((form) => `groups.pattern like '%${form}'`)
    .join(' or ')})`,
);

/** Causes that agents have since the rollout began, and did not have before; of agents that have the version, since they were offered it. */
function fresh(engine: Engine, rollout: RolloutRow, now: number): RawBuilder<unknown> {
  const { project_id, started_at } = rollout;
  const longestSoak = Math.max(...stagesOf(rollout).map(({ soakSeconds }) => soakSeconds * 1_000));
  const baseline = started_at - Math.max(longestSoak, minBaselineMilliseconds);
  const reported =
    engine === 'sqlite'
      ? sql`reported as materialized (
          select error_group as group_key, agent_key, min(${sql.raw(timeAtPlaceSql)}) as at
          from agent_error_rows indexed by agent_error_rows_by_project
          where project_key = (select key from id_keys where id = ${project_id}) and place >= ${firstPlaceAt(started_at)}
            and error_group is not null and dismissed_at is null
          group by 1, 2),
        first as materialized (
          select groups.id as group_id, agents.id as agent_id, at
          from reported
          join id_keys as agents on agents.key = reported.agent_key
          join agent_error_groups as groups on groups.key = reported.group_key
          where coalesce(groups.muted_until, 0) <= ${now} and not ${isAboutMuster} and not exists (
            select 1 from agent_error_rows as earlier
            where earlier.agent_key = reported.agent_key and +earlier.error_group = reported.group_key
              and +earlier.place < ${firstPlaceAt(started_at)}
              and (earlier.dismissed_at is null or earlier.last_seen_at >= ${baseline})))`
      : sql`reported as materialized (
          select group_id, agent_id, min(created_at) as at from agent_errors
          where project_id = ${project_id} and id >= ${minIDAt(started_at)}
            and group_id is not null and dismissed_at is null
          group by 1, 2),
        first as materialized (
          select reported.group_id, reported.agent_id, at
          from reported join agent_error_groups as groups on groups.id = reported.group_id
          where coalesce(groups.muted_until, 0) <= ${now} and not ${isAboutMuster} and not exists (
            select 1 from agent_errors as earlier
            where earlier.agent_id = reported.agent_id and earlier.group_id = reported.group_id
              and earlier.id < ${minIDAt(started_at)}
              and (earlier.dismissed_at is null or earlier.last_seen_at >= ${baseline})))`;
  return sql`${reported},
    fresh as materialized (
      select first.group_id, first.agent_id, seats.side, first.at
      from first join seats on seats.agent_id = first.agent_id
      where seats.side = 'control' or first.at >= seats.offered_at)`;
}

async function listCauses(
  db: Kysely<Tables>,
  engine: Engine,
  rollout: RolloutRow,
  now: number,
): Promise<readonly CountedCause[]> {
  const { rows } = await sql<CountedCause>`
    with ${seats(rollout)}, ${fresh(engine, rollout, now)},
    ranked as (
      select fresh.*, row_number() over (partition by group_id, side order by at) as place from fresh
      where group_id in (select group_id from fresh where side <> 'control'))
    select group_id as "groupID", side, cast(count(*) as integer) as agents,
      cast(sum(case when at >= ${rollout.stage_started_at} then 1 else 0 end) as integer) as recent,
      min(at) as "firstAt", min(case when place = 2 then at end) as "secondAt"
    from ranked group by 1, 2 order by 1, 2`.execute(db);
  return rows;
}

interface CountedWorse {
  readonly side: Side;
  readonly agents: number;
  readonly firstAt: number;
  readonly secondAt: number | null;
}

async function listWorse(
  db: Kysely<Tables>,
  engine: Engine,
  rollout: RolloutRow,
  now: number,
): Promise<readonly CountedWorse[]> {
  const { rows } = await sql<CountedWorse>`
    with ${seats(rollout)}, ${fresh(engine, rollout, now)},
    agents_worse as (
      select agent_id, side, min(at) as at from fresh where at >= ${rollout.stage_started_at} group by 1, 2),
    ranked as (select agents_worse.*, row_number() over (partition by side order by at) as place from agents_worse)
    select side, cast(count(*) as integer) as agents, min(at) as "firstAt",
      min(case when place = 2 then at end) as "secondAt"
    from ranked group by 1`.execute(db);
  return rows;
}

export interface UpdatedAgent {
  readonly agentID: string;
  readonly name: string;
  readonly appliedAt: number;
  /** Null: it has reported nothing new. */
  readonly reportedAt: number | null;
}

/** The first agents that run the version. */
export async function listUpdatedAgents(
  db: Kysely<Tables>,
  engine: Engine,
  rollout: RolloutRow,
  now: number,
): Promise<readonly UpdatedAgent[]> {
  const { rows } = await sql<UpdatedAgent>`
    with ${seats(rollout)}, ${fresh(engine, rollout, now)},
    reports as (select agent_id, min(at) as at from fresh group by 1)
    select agents.id as "agentID", agents.name, applied_at as "appliedAt", reports.at as "reportedAt"
    from seats
    join agents on agents.id = seats.agent_id
    left join reports on reports.agent_id = seats.agent_id
    where is_applied = 1
    order by applied_at, agents.id limit ${sql.lit(maxNamed)}`.execute(db);
  return rows;
}

function toCauses(rows: readonly CountedCause[]): CauseEvidence[] {
  const byGroup = new Map<string, CountedCause[]>();
  for (const row of rows) byGroup.set(row.groupID, [...(byGroup.get(row.groupID) ?? []), row]);
  return [...byGroup].map(([groupID, sides]) => ({
    groupID,
    newOn: {
      stage: agentsOf(sides, 'stage'),
      earlier: agentsOf(sides, 'earlier'),
      control: agentsOf(sides, 'control'),
    },
    newOnEarlier: sides.find(({ side }) => side === 'earlier')?.recent ?? 0,
    firstAt: firstTwo(sides),
  }));
}

function agentsOf(rows: readonly { readonly side: Side; readonly agents: number }[], side: Side): number {
  return rows.find((row) => row.side === side)?.agents ?? 0;
}

/** Of updated agents. */
function firstTwo(rows: readonly CountedWorse[]): number[] {
  return rows
    .filter(({ side }) => side !== 'control')
    .flatMap(({ firstAt, secondAt }) => [firstAt, ...(secondAt === null ? [] : [secondAt])])
    .sort((one, other) => one - other)
    .slice(0, 2);
}
