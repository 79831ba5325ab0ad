import { type Kysely, type RawBuilder, sql } from 'kysely';
import { minIDAt } from '../../../foundation/clock.ts';
import { firstPlaceAt, timeAtPlaceSql } from '../../../foundation/database/id-place.ts';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { stageBeganAt } from './rollout-history.ts';
import { stagesOf } from './rollout-stages.ts';
import type { RolloutRow } from './rollout-store.ts';
import { type Side, seats } from './seat-store.ts';
import type { CauseEvidence, FirstTimes, GroupCounts, StageEvidence } from './stage-evidence.ts';

/** A cause of longer ago does not count as one that the agent had before. */
const minBaselineMilliseconds = 30 * 60_000;
const maxShown = 20;

interface CountedAgents {
  /** Null: counts agents with any new cause. */
  readonly groupID: string | null;
  readonly side: Side;
  readonly agents: number;
  readonly recent: number;
  readonly firstAt: number;
  readonly secondAt: number | null;
}

/** The causes that are new on agents with the version, and how many agents are worse since the stage began. */
export async function readNewCauses(
  db: Kysely<Tables>,
  engine: Engine,
  rollout: RolloutRow,
  now: number,
): Promise<Pick<StageEvidence, 'causes' | 'worse' | 'worseFirstAt'>> {
  // In a storm that has nothing to do with the version, the agents that do not have it are not looked at.
  const counted = (await hasNewCauses(db, engine, rollout, now))
    ? await countNewCauses(db, engine, rollout, now)
    : [];
  const worse = counted.filter(({ groupID }) => groupID === null);
  return { causes: toCauses(counted), worse: countsOf(worse), worseFirstAt: firstTimesOf(worse) };
}

async function hasNewCauses(
  db: Kysely<Tables>,
  engine: Engine,
  rollout: RolloutRow,
  now: number,
): Promise<boolean> {
  const isUpdated = sql`applied_seconds = ${rollout.to_seconds}`;
  const updated = sql`select agent_id from fleet_agents
    where project_id = ${rollout.project_id} and fleet_id = ${rollout.fleet_id} and ${isUpdated}`;
  // A look-up for each error: as a condition on all updated agents, it may become a comparison of each error with each of them.
  const among =
    engine === 'sqlite' ? updated : sql`${updated} and fleet_agents.agent_id = agent_errors.agent_id limit 1`;
  const { rows } = await sql`
    with ${newCauses(engine, rollout, now, { seat: isUpdated, among })}
    select 1 from fresh limit 1`.execute(db);
  return rows.length > 0;
}

/** With the causes, and under no group with how many agents have one since the stage began. */
async function countNewCauses(
  db: Kysely<Tables>,
  engine: Engine,
  rollout: RolloutRow,
  now: number,
): Promise<readonly CountedAgents[]> {
  const since = stageBeganAt(rollout);
  const { rows } = await sql<CountedAgents>`
    with ${newCauses(engine, rollout, now)},
    ranked as (
      select fresh.*, row_number() over (partition by group_id, side order by at) as place from fresh
      where group_id in (select group_id from fresh where side <> 'control')),
    agents_worse as (select agent_id, side, min(at) as at from fresh where at >= ${since} group by 1, 2),
    ranked_worse as (select agents_worse.*, row_number() over (partition by side order by at) as place from agents_worse)
    select group_id as "groupID", side, cast(count(*) as integer) as agents,
      cast(sum(case when at >= ${since} then 1 else 0 end) as integer) as recent,
      min(at) as "firstAt", min(case when place = 2 then at end) as "secondAt"
    from ranked group by 1, 2
    union all
    select null, side, cast(count(*) as integer), cast(count(*) as integer),
      min(at), min(case when place = 2 then at end)
    from ranked_worse group by side
    order by 1, 2`.execute(db);
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
  const { project_id, fleet_id, to_seconds } = rollout;
  const ofShown = sql`select agent_id from shown`;
  const { rows } = await sql<UpdatedAgent>`
    with shown as materialized (
      select agent_id, coalesce(confirmed_at, downloaded_at) as applied_at
      from fleet_agents where project_id = ${project_id} and fleet_id = ${fleet_id} and applied_seconds = ${to_seconds}
      order by 2, 1 limit ${sql.lit(maxShown)}),
    ${newCauses(engine, rollout, now, { seat: sql`fleet_agents.agent_id in (${ofShown})`, among: ofShown })},
    reports as (select agent_id, min(at) as at from fresh group by 1)
    select agents.id as "agentID", agents.name, shown.applied_at as "appliedAt", reports.at as "reportedAt"
    from shown
    join agents on agents.id = shown.agent_id and agents.deleted_at is null
    left join reports on reports.agent_id = shown.agent_id
    order by shown.applied_at, agents.id`.execute(db);
  return rows;
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

interface NewCausesOf {
  /** A condition of rows of `fleet_agents`. Absent: all agents of the fleet. */
  readonly seat?: RawBuilder<unknown>;
  /** Ids of agents. Absent: all agents of the project. */
  readonly among?: RawBuilder<unknown>;
}

/**
 * Causes that agents have since the rollout began, and did not have before; of agents that have the version, since they were offered it. What an agent had
 * before is looked up by the agent: written otherwise, each error would be compared with all errors of its group. So is its place in the fleet on PostgreSQL,
 * which may expect few agents, and would compare each cause with all of them.
 */
function newCauses(
  engine: Engine,
  rollout: RolloutRow,
  now: number,
  { seat = sql`true`, among }: NewCausesOf = {},
): RawBuilder<unknown> {
  const { project_id, started_at } = rollout;
  const longestSoak = Math.max(...stagesOf(rollout).map(({ soakSeconds }) => soakSeconds * 1_000));
  const baseline = started_at - Math.max(longestSoak, minBaselineMilliseconds);
  const isCounted = sql`coalesce(groups.muted_until, 0) <= ${now} and not ${isAboutMuster}`;
  const first =
    engine === 'sqlite'
      ? sql`reported as materialized (
          select error_group as group_key, agent_key, min(${sql.raw(timeAtPlaceSql)}) as at
          from agent_error_rows indexed by agent_error_rows_by_project
          where project_key = (select key from id_keys where id = ${project_id}) and place >= ${firstPlaceAt(started_at)}
            and error_group is not null and dismissed_at is null
            and ${among === undefined ? sql`true` : sql`agent_key in (select key from id_keys where id in (${among}))`}
          group by 1, 2),
        first as materialized (
          select groups.id as group_id, agents.id as agent_id, at
          from reported
          cross join agent_error_groups as groups on groups.key = reported.group_key
          cross join id_keys as agents on agents.key = reported.agent_key
          where ${isCounted}
            and not exists (
              select 1 from agent_error_rows as earlier indexed by agent_error_rows_open
              where earlier.agent_key = reported.agent_key and earlier.dismissed_at is null
                and earlier.error_group = reported.group_key and earlier.place < ${firstPlaceAt(started_at)})
            and not exists (
              select 1 from agent_error_rows as earlier indexed by agent_error_rows_dismissed
              where earlier.agent_key = reported.agent_key and earlier.dismissed_at is not null
                and earlier.error_group = reported.group_key and earlier.place < ${firstPlaceAt(started_at)}
                and earlier.last_seen_at >= ${baseline}))`
      : sql`reported as materialized (
          select group_id, agent_id, min(created_at) as at from agent_errors
          where project_id = ${project_id} and id >= ${minIDAt(started_at)}
            and group_id is not null and dismissed_at is null
            and ${among === undefined ? sql`true` : sql`agent_id = any (array(${among}))`}
          group by 1, 2),
        first as materialized (
          select reported.group_id, reported.agent_id, at
          from reported join agent_error_groups as groups on groups.id = reported.group_id
          where ${isCounted}
            and not exists (
              select 1 from agent_errors as earlier
              where earlier.agent_id = reported.agent_id and earlier.dismissed_at is null
                and coalesce(earlier.group_id) = reported.group_id and earlier.created_at < ${started_at})
            and not exists (
              select 1 from agent_errors as earlier
              where earlier.agent_id = reported.agent_id and earlier.dismissed_at is not null
                and coalesce(earlier.group_id) = reported.group_id and earlier.created_at < ${started_at}
                and earlier.last_seen_at >= ${baseline}))`;
  const isOfAgent = sql`fleet_agents.agent_id = first.agent_id and ${seat}`;
  const ofAgent =
    engine === 'sqlite'
      ? sql`(${seats(rollout, seat)}) as seats`
      : sql`lateral (${seats(rollout, isOfAgent)} limit 1) as seats`;
  return sql`${first},
    fresh as materialized (
      select first.group_id, first.agent_id, seats.side, first.at
      from first cross join ${ofAgent}
      where seats.agent_id = first.agent_id and (seats.side = 'control' or first.at >= seats.offered_at))`;
}

function toCauses(rows: readonly CountedAgents[]): CauseEvidence[] {
  const byGroup = new Map<string, CountedAgents[]>();
  for (const row of rows)
    if (row.groupID !== null) byGroup.set(row.groupID, [...(byGroup.get(row.groupID) ?? []), row]);
  return [...byGroup].map(([groupID, sides]) => ({
    groupID,
    newOn: countsOf(sides),
    newOnEarlier: sides.find(({ side }) => side === 'earlier')?.recent ?? 0,
    firstAt: firstTimesOf(sides),
  }));
}

function countsOf(rows: readonly CountedAgents[]): GroupCounts {
  const countOf = (side: Side) => rows.find((row) => row.side === side)?.agents ?? 0;
  return { stage: countOf('stage'), earlier: countOf('earlier'), control: countOf('control') };
}

function firstTimesOf(rows: readonly CountedAgents[]): FirstTimes {
  const timesOf = (side: Side) =>
    rows
      .filter((row) => row.side === side)
      .flatMap(({ firstAt, secondAt }) => (secondAt === null ? [firstAt] : [firstAt, secondAt]));
  return { stage: timesOf('stage'), earlier: timesOf('earlier') };
}
