import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { isAnyID } from '../../../foundation/database/is-any-id.ts';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import { newestFirst } from '../../../foundation/database/newest-first.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { Page } from '../../../foundation/list-page.ts';
import { deliveredUntil } from '../fleet-agent-store.ts';
import type { PlannedAgent } from './plan-stages.ts';
import { stagesOf } from './rollout-stages.ts';

/** A rollout with the numbers of its versions. */
export type RolloutRow = Selectable<Tables['rollouts']> & {
  readonly from_number: number;
  readonly to_number: number;
  readonly fleet_name: string;
  readonly fleet_deleted_at: number | null;
  /** JSON: those of its project. */
  readonly freeze_windows: string;
};

/** Rows of one statement. */
const maxRows = 300;
/** Agents that are read at once. */
const maxPlanned = 5_000;
/** A rollout that nobody looked at for longer was not watched. */
export const gapMilliseconds = 30_000;
export const lookMilliseconds = 10_000;

export async function insertRollout(db: Kysely<Tables>, row: Insertable<Tables['rollouts']>): Promise<void> {
  await db.insertInto('rollouts').values(row).execute();
}

export async function insertRolloutAgents(
  db: Kysely<Tables>,
  rows: readonly Insertable<Tables['rollout_agents']>[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += maxRows) {
    await db
      .insertInto('rollout_agents')
      .values(rows.slice(start, start + maxRows))
      .execute();
  }
}

export async function findRollout(db: Kysely<Tables>, id: string): Promise<RolloutRow | undefined> {
  return selectRollouts(db).where('rollouts.id', '=', id).executeTakeFirst();
}

/** The newest one of a fleet, whatever its state. */
export async function findNewestRollout(
  db: Kysely<Tables>,
  fleetID: string,
): Promise<RolloutRow | undefined> {
  return selectRollouts(db)
    .where('rollouts.fleet_id', '=', fleetID)
    .orderBy('rollouts.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Those that go on by themselves. */
export async function listOpenRollouts(db: Kysely<Tables>): Promise<RolloutRow[]> {
  return selectRollouts(db).where('rollouts.state', 'in', ['running', 'waiting', 'reverting']).execute();
}

export interface RolloutFilter {
  readonly projectID: string;
  readonly fleetID: string | undefined;
  /** Of the cause that has stopped them. */
  readonly groupID: string | undefined;
  /** True: the newest one of each fleet, if it goes on or was stopped. */
  readonly isIncomplete: boolean;
}

/** Newest first, with one more than the page if another page follows. */
export async function listRollouts(
  db: Kysely<Tables>,
  { projectID, fleetID, groupID, isIncomplete }: RolloutFilter,
  page: Page,
): Promise<RolloutRow[]> {
  // A cause tells for ever which version brought it.
  const select = groupID === undefined ? selectRollouts : selectAllRollouts;
  let query = select(db).where('rollouts.project_id', '=', projectID);
  if (fleetID !== undefined) query = query.where('rollouts.fleet_id', '=', fleetID);
  if (groupID !== undefined) query = query.where('verdict', 'like', `%"groupID":"${groupID}"%`);
  if (isIncomplete) {
    const isNewest = sql<boolean>`not exists (select 1 from rollouts as newer
      where newer.fleet_id = rollouts.fleet_id and newer.id > rollouts.id)`;
    query = query.where('rollouts.state', 'not in', ['completed', 'superseded']).where(isNewest);
  }
  return newestFirst(query, 'rollouts.id', page).execute();
}

/** False if somebody else has changed it since it was read. */
export async function changeRollout(
  db: Kysely<Tables>,
  { id, revision }: Pick<RolloutRow, 'id' | 'revision'>,
  change: Updateable<Tables['rollouts']>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('rollouts')
    .set({ ...change, revision: revision + 1 })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Notes that somebody looks at each rollout that goes on, unless its project moves. The time in which nobody did is added to what its agents have to be
 * watched for; whoever has read a rollout before then changes it no more.
 *
 * @param except rollouts at which nobody could look
 */
export async function noteLooks(db: Kysely<Tables>, now: number, except: readonly string[]): Promise<void> {
  const wasUnseen = sql`${now} - looked_at > ${gapMilliseconds}`;
  await sql`update rollouts set looked_at = ${now},
      unseen_ms = unseen_ms + case when ${wasUnseen} then ${now} - looked_at else 0 end,
      revision = revision + case when ${wasUnseen} then 1 else 0 end
    where state in ('running', 'waiting', 'reverting') and looked_at <= ${now - lookMilliseconds}
      and exists (select 1 from projects where projects.id = rollouts.project_id and projects.deleted_at is null)
      and ${except.length === 0 ? sql`true` : sql`id not in (${sql.join(except)})`}`.execute(db);
}

/** Ends what a newer version of the fleet makes pointless. */
export async function supersedeRollouts(db: Kysely<Tables>, fleetID: string, now: number): Promise<void> {
  await db
    .updateTable('rollouts')
    .set({ state: 'superseded', ended_at: now, revision: sql`revision + 1` })
    .where('fleet_id', '=', fleetID)
    .where('state', 'in', ['running', 'waiting', 'paused', 'reverting'])
    .execute();
}

/**
 * Gives the version to one more of the agents that cannot be chosen, if fewer than that many have got it and the stage is still open. Counted here, so that
 * all replicas together never give it to more. An answer that does not arrive counts too.
 */
export async function giveShared(
  db: Kysely<Tables>,
  { rolloutID, stage, below }: { readonly rolloutID: string; readonly stage: number; readonly below: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('rollouts')
    .set({ shared_given: sql`shared_given + 1` })
    .where('id', '=', rolloutID)
    .where('stage', '=', stage)
    .where('state', 'in', ['running', 'waiting'])
    .where('held_until', 'is', null)
    .where('shared_given', '<', below)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Notes that an agent that cannot be chosen has shown that it runs the version. False: all that got it are known already. */
export async function noteShared(
  trx: Kysely<Tables>,
  { id, stage, stages, shared_given: given }: RolloutRow,
  agentID: string,
): Promise<boolean> {
  const lastStage = stagesOf({ stages }).length - 1;
  if (stage < lastStage) {
    const known = await trx
      .selectFrom('rollout_agents')
      .innerJoin('fleet_agents', 'fleet_agents.agent_id', 'rollout_agents.agent_id')
      .where('rollout_id', '=', id)
      .where('handle', 'is', null)
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .executeTakeFirst();
    if (Number(known?.count ?? 0) >= given) return false;
  }
  await trx
    .insertInto('rollout_agents')
    .values({ rollout_id: id, agent_id: agentID, stage, position: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return true;
}

/** When each agent gets the version, but for those that come last. */
export async function listPlaces(db: Kysely<Tables>, rolloutID: string): Promise<ReadonlyMap<string, Place>> {
  const rows = await db
    .selectFrom('rollout_agents')
    .select(['agent_id', 'stage', 'position'])
    .where('rollout_id', '=', rolloutID)
    .execute();
  return new Map(rows.map(({ agent_id, ...place }) => [agent_id, place]));
}

export interface Place {
  readonly stage: number;
  /** In the stage, from 0. */
  readonly position: number;
}

/** The time in which a stage was not looked at, also if that is not noted yet. */
export function unseenMilliseconds(
  { looked_at, unseen_ms }: Pick<RolloutRow, 'looked_at' | 'unseen_ms'>,
  now: number,
): number {
  const gap = now - looked_at;
  return gap > gapMilliseconds ? unseen_ms + gap : unseen_ms;
}

/** The agents of a fleet, with whether each can get a version of its own. In portions, so that other requests are answered meanwhile. */
export async function listPlannedAgents(
  db: Kysely<Tables>,
  projectID: string,
  fleetID: string,
): Promise<PlannedAgent[]> {
  const agents: PlannedAgent[] = [];
  for (;;) {
    const portion = await listPortion(db, projectID, fleetID, agents.at(-1)?.agentID);
    agents.push(...portion);
    if (portion.length < maxPlanned) return agents;
  }
}

async function listPortion(
  db: Kysely<Tables>,
  projectID: string,
  fleetID: string,
  after: string | undefined,
): Promise<readonly PlannedAgent[]> {
  const { rows } = await sql<{
    id: string;
    name: string;
    tags: string;
    status: string;
    site: string | null;
    shared: number;
  }>`
    select agents.id, agents.name, agents.tags, agent_states.status, core_instances.name as site,
      case when handle is null then 1 else 0 end as shared
    ${agentsOfFleets}
    left join agent_signs on agent_signs.project_id = fleet_agents.project_id
      and agent_signs.agent_id = fleet_agents.agent_id
    left join core_instances on core_instances.id = agent_signs.core_instance_id and core_instances.deleted_at is null
    ${isOfFleet(projectID, fleetID)} and ${after === undefined ? sql`true` : sql`fleet_agents.agent_id > ${after}`}
    order by fleet_agents.agent_id limit ${sql.lit(maxPlanned)}`.execute(db);
  return rows.map(({ id, name, tags, status, site, shared }) => ({
    agentID: id,
    name,
    tags: JSON.parse(tags) as string[], // written by the service alone
    site: site ?? undefined,
    isAlive: status === 'healthy' || status === 'unhealthy',
    isShared: shared === 1,
  }));
}

export interface ListedRolloutAgent {
  readonly id: string;
  readonly name: string;
  readonly stage: number | null;
  readonly offered_seconds: number | null;
  readonly downloaded_seconds: number | null;
  readonly downloaded_at: number | null;
  readonly applied_seconds: number | null;
  readonly last_seen_at: number;
  readonly delivered_until: number | null;
  readonly status: string | null;
}

/** The agents of a fleet with what they show of a rollout; with one more than the page if another page follows. */
export async function listRolloutAgents(
  db: Kysely<Tables>,
  { id, project_id: projectID, fleet_id: fleetID }: RolloutRow,
  { before, limit }: Page,
): Promise<ListedRolloutAgent[]> {
  const { rows } = await sql<ListedRolloutAgent>`
    select agents.id, agents.name, rollout_agents.stage, offered_seconds, downloaded_seconds, downloaded_at,
      applied_seconds, agents.last_seen_at, agent_states.status, ${sql.raw(deliveredUntil)} as delivered_until
    ${agentsOfFleets}
    left join agent_signs on agent_signs.project_id = fleet_agents.project_id
      and agent_signs.agent_id = fleet_agents.agent_id
    left join core_instances on core_instances.id = core_instance_id and core_instances.deleted_at is null
    left join rollout_agents on rollout_id = ${id} and rollout_agents.agent_id = fleet_agents.agent_id
    ${isOfFleet(projectID, fleetID)} ${before === undefined ? sql`` : sql`and agents.id < ${before}`}
    order by agents.id desc limit ${limit + 1}`.execute(db);
  return rows;
}

/** How many agents of a stage are heard. Those that cannot be chosen are as many as were planned, until all get the version. */
export async function countAlive(
  db: Kysely<Tables>,
  row: Pick<RolloutRow, 'id' | 'project_id' | 'fleet_id' | 'stages'>,
  stage: number,
): Promise<number> {
  const { id, project_id: projectID, fleet_id: fleetID } = row;
  const stages = stagesOf(row);
  const lastStage = stages.length - 1;
  const isLast = stage === lastStage;
  const { rows } = await sql<{ count: number }>`
    select cast(count(*) as integer) as count ${agentsOfFleets}
    left join rollout_agents on rollout_id = ${id} and rollout_agents.agent_id = fleet_agents.agent_id
    ${isOfFleet(projectID, fleetID)} and status in ('healthy', 'unhealthy')
      and coalesce(rollout_agents.stage, ${sql.lit(lastStage)}) = ${sql.lit(stage)}
      ${isLast ? sql`` : sql`and handle is not null`}`.execute(db);
  return (rows[0]?.count ?? 0) + (isLast ? 0 : (stages[stage]?.sharedCount ?? 0));
}

/** How many of these agents are heard and in the running stage: as far as is known, if they cannot be chosen. */
export async function countHeardInStage(
  db: Kysely<Tables>,
  engine: Engine,
  row: Pick<RolloutRow, 'id' | 'project_id' | 'fleet_id' | 'stages' | 'stage'>,
  agentIDs: readonly string[],
): Promise<number> {
  const { id, project_id: projectID, fleet_id: fleetID, stage } = row;
  const lastStage = stagesOf(row).length - 1;
  const isPlaced = sql`(handle is not null or rollout_agents.stage is not null)`;
  const { rows } = await sql<{ count: number }>`
    select cast(count(*) as integer) as count from fleet_agents
    join agent_states on agent_states.project_id = fleet_agents.project_id
      and agent_states.agent_id = fleet_agents.agent_id
    left join rollout_agents on rollout_id = ${id} and rollout_agents.agent_id = fleet_agents.agent_id
    where fleet_agents.project_id = ${projectID} and fleet_agents.fleet_id = ${fleetID}
      and ${isAnyID(engine, sql.ref('fleet_agents.agent_id'), agentIDs)} and status in ('healthy', 'unhealthy')
      and coalesce(rollout_agents.stage, ${sql.lit(lastStage)}) = ${sql.lit(stage)}
      ${stage === lastStage ? sql`` : sql`and ${isPlaced}`}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The running stage no longer waits for so many of its agents. Whoever has read the rollout before then changes it no more. */
export async function expectFewer(trx: Kysely<Tables>, id: string, agents: number): Promise<void> {
  await trx
    .updateTable('rollouts')
    .set({
      stage_agents: sql`case when stage_agents > ${agents} then stage_agents - ${agents} else 0 end`,
      revision: sql`revision + 1`,
    })
    .where('id', '=', id)
    .execute();
}

/** What every list of agents of a fleet reads. */
const agentsOfFleets = sql`from fleet_agents
    join agents on agents.id = fleet_agents.agent_id
    left join agent_states on agent_states.project_id = fleet_agents.project_id
      and agent_states.agent_id = fleet_agents.agent_id`;

function isOfFleet(projectID: string, fleetID: string): RawBuilder<unknown> {
  return sql`where fleet_agents.project_id = ${projectID} and fleet_agents.fleet_id = ${fleetID}
    and agents.deleted_at is null`;
}

function selectRollouts(db: Kysely<Tables>) {
  return selectAllRollouts(db).where('fleets.deleted_at', 'is', null);
}

/** Also those of deleted fleets. */
function selectAllRollouts(db: Kysely<Tables>) {
  return db
    .selectFrom('rollouts')
    .innerJoin('fleet_versions as before', 'before.id', 'rollouts.from_version_id')
    .innerJoin('fleet_versions as after', 'after.id', 'rollouts.to_version_id')
    .innerJoin('fleets', 'fleets.id', 'rollouts.fleet_id')
    .innerJoin('projects', 'projects.id', 'rollouts.project_id')
    .where('projects.deleted_at', 'is', null)
    .selectAll('rollouts')
    .select([
      'before.number as from_number',
      'after.number as to_number',
      'fleets.name as fleet_name',
      'fleets.deleted_at as fleet_deleted_at',
      'projects.freeze_windows',
    ]);
}
