import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import { maxJitterMilliseconds } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { executeWithNext } from '../../foundation/database/deferred-statement.ts';
import { isAnyID } from '../../foundation/database/is-any-id.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';

export type FleetAgentRow = Selectable<Tables['fleet_agents']>;

/** The agent of an existing project that asks with this id. */
export async function findByHandle(db: Kysely<Tables>, handle: string): Promise<FleetAgentRow | undefined> {
  return db
    .selectFrom('fleet_agents')
    .innerJoin('agents', 'agents.id', 'fleet_agents.agent_id')
    .where('agents.deleted_at', 'is', null)
    .where('handle', '=', handle)
    .selectAll('fleet_agents')
    .executeTakeFirst();
}

export async function findByAgent(
  db: Kysely<Tables>,
  projectID: string,
  agentID: string,
): Promise<FleetAgentRow | undefined> {
  return db
    .selectFrom('fleet_agents')
    .selectAll()
    .where('project_id', '=', projectID)
    .where('agent_id', '=', agentID)
    .executeTakeFirst();
}

/** The fleets in which these agents are. */
export async function listFleetIDs(
  { engine, read }: { readonly engine: Engine; readonly read: Kysely<Tables> },
  projectID: string,
  agentIDs: readonly string[],
): Promise<string[]> {
  const rows = await read
    .selectFrom('fleet_agents')
    .select('fleet_id')
    .distinct()
    .where('project_id', '=', projectID)
    .where(isAnyID(engine, sql.ref('agent_id'), agentIDs))
    .execute();
  return rows.map(({ fleet_id }) => fleet_id);
}

/** Whether agents of a fleet ask with its id, so that nobody can tell them apart. */
export async function hasAnonymousAgents(db: Kysely<Tables>, fleetID: string): Promise<boolean> {
  const row = await db
    .selectFrom('fleet_agents')
    .select('agent_id')
    .where('fleet_id', '=', fleetID)
    .where('handle', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** An agent with its place in a fleet. */
export interface PlacedAgent {
  readonly id: string;
  readonly name: string;
  readonly seat: FleetAgentRow | undefined;
}

/** The agents of a project with these ids, in their order, locked until the transaction ends. */
export async function lockPlacedAgents(
  trx: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  agentIDs: readonly string[],
): Promise<PlacedAgent[]> {
  const agents = trx
    .selectFrom('agents')
    .select(['id', 'name'])
    .where('project_id', '=', projectID)
    .where('deleted_at', 'is', null)
    .where(isAnyID(engine, sql.ref('id'), agentIDs))
    .orderBy('id');
  // SQLite has one transaction at a time.
  const found = await (engine === 'postgres' ? agents.forNoKeyUpdate() : agents).execute();
  const seats = await lockSeats(trx, engine, projectID, agentIDs);
  const seatOf = new Map(seats.map((row) => [row.agent_id, row]));
  return found.map((agent) => ({ ...agent, seat: seatOf.get(agent.id) }));
}

/** The places of agents in fleets, locked until the transaction ends. */
export async function lockSeats(
  trx: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  agentIDs: readonly string[],
): Promise<FleetAgentRow[]> {
  // In the order in which polls are written.
  const seats = trx
    .selectFrom('fleet_agents')
    .selectAll()
    .where('project_id', '=', projectID)
    .where(isAnyID(engine, sql.ref('agent_id'), agentIDs))
    .orderBy('handle');
  return (engine === 'postgres' ? seats.forNoKeyUpdate() : seats).execute();
}

export async function deleteSeats(
  trx: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  agentIDs: readonly string[],
): Promise<void> {
  await trx
    .deleteFrom('fleet_agents')
    .where('project_id', '=', projectID)
    .where(isAnyID(engine, sql.ref('agent_id'), agentIDs))
    .execute();
}

/** Writes the whole row of an agent. An id with which another agent has asked is now that of this one. */
export async function saveFleetAgent(trx: Kysely<Tables>, row: FleetAgentRow): Promise<void> {
  if (row.handle !== null) {
    const released = trx
      .updateTable('fleet_agents')
      .set({ handle: null })
      .where('handle', '=', row.handle)
      .where('agent_id', '<>', row.agent_id);
    await executeWithNext(trx, released);
  }
  const { project_id, agent_id, ...change } = row;
  const saved = trx
    .insertInto('fleet_agents')
    .values(row)
    .onConflict((conflict) => conflict.columns(['project_id', 'agent_id']).doUpdateSet(change));
  await executeWithNext(trx, saved);
}

/** From now on, agents are in this fleet. */
export async function setFleet(
  trx: Kysely<Tables>,
  agentIDs: readonly string[],
  fleetID: string,
): Promise<void> {
  await trx.updateTable('agents').set({ fleet_id: fleetID }).where('id', 'in', agentIDs).execute();
}

/** What polls have shown: what the agent was offered, and what it has downloaded. Dates of publications. */
export interface SeenPoll {
  readonly at: number;
  /** Of the agent when it polled. What was shown before it was moved is nothing about its place now. */
  readonly shift: number;
  readonly offered: number;
  /** When it last asked without having that. Absent: it has it already. */
  readonly offeredAt?: number | undefined;
  readonly downloaded: number | null;
  /** Of a site, which may tell of it late. */
  readonly ofSite?: {
    /** True: the agent has registered or updated itself since it was offered the version, whatever the times say. */
    readonly isConfirmed: boolean;
  };
  /** Of the values of the variables in what it was offered. */
  readonly valuesDigest: string | null;
}

/**
 * Stores what polls have shown. An agent that was offered a version, registered or updated itself after that, and now has the version, runs it. Times
 * are compared here, because another replica may have seen the registration. Returns the ids of the agents of which something was stored.
 */
export async function writePolls(
  database: Database,
  portion: ReadonlyMap<string, SeenPoll>,
  now: number,
): Promise<ReadonlySet<string>> {
  // Always in the same order, so that replicas cannot deadlock.
  const polls = [...portion].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return database.write.transaction().execute(async (trx) => {
    const written = new Set<string>();
    for (const [handle, { at, shift, offered, offeredAt, downloaded, valuesDigest, ofSite }] of polls) {
      const { numUpdatedRows } = await trx
        .updateTable('fleet_agents')
        .set({
          offered_seconds: offered,
          // The poll that has offered it is not known, because whoever answered it has ended. It was after the publication.
          offered_at:
            offeredAt ??
            sql`case when offered_seconds = ${offered} then offered_at else (
              select published_at from fleet_publications
              where fleet_publications.project_id = fleet_agents.project_id and seconds = ${offered}) end`,
          downloaded_seconds: downloaded,
          values_digest: valuesDigest,
          downloaded_at: sql`case
            when downloaded_seconds = ${downloaded} and downloaded_at >= ${offeredAt ?? 0} then downloaded_at
            else ${at} end`,
        })
        .where('handle', '=', handle)
        .where('shift_seconds', '=', shift)
        // The agent has asked elsewhere since. A time that is still to come is of a clock that was set back.
        .$if(ofSite !== undefined, (query) =>
          query.where(({ and, or }) =>
            and(
              (['offered_at', 'downloaded_at'] as const).map((column) =>
                or([
                  sql<boolean>`coalesce(${sql.ref(column)}, 0) <= ${at}`,
                  sql<boolean>`${sql.ref(column)} > ${now + maxJitterMilliseconds}`,
                ]),
              ),
            ),
          ),
        )
        .executeTakeFirst();
      if (numUpdatedRows === 0n) continue;
      written.add(handle);
      if (downloaded === offered) await noteApplied(trx, handle, offered, ofSite?.isConfirmed === true);
    }
    return written;
  });
}

interface Renewal {
  readonly offered: number;
  readonly at: number;
  readonly digest: string;
  readonly shift: { readonly before: number; readonly after: number };
}

/** The agent is offered what it has with other values. False if somebody else has changed its place, or its values, since it was read. */
export async function renewValues(
  db: Kysely<Tables>,
  handle: string,
  { offered, at, digest, shift }: Renewal,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('fleet_agents')
    .set({
      shift_seconds: shift.after,
      offered_seconds: offered,
      offered_at: at,
      downloaded_seconds: null,
      downloaded_at: null,
      applied_seconds: null,
      values_digest: digest,
    })
    .where('handle', '=', handle)
    .where('shift_seconds', '=', shift.before)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function noteApplied(
  trx: Kysely<Tables>,
  handle: string,
  seconds: number,
  isConfirmed: boolean,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('fleet_agents')
    .set({ applied_seconds: seconds })
    .where('handle', '=', handle)
    .$if(!isConfirmed, (query) => query.where(sql<boolean>`confirmed_at > coalesce(offered_at, 0)`))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  const version = await trx
    .selectFrom('fleet_agents')
    .innerJoin('fleet_publications as publications', (join) =>
      join
        .onRef('publications.project_id', '=', 'fleet_agents.project_id')
        .onRef('publications.seconds', '=', 'fleet_agents.applied_seconds'),
    )
    .innerJoin('fleet_versions as versions', 'versions.id', 'publications.version_id')
    .innerJoin('agents', 'agents.id', 'fleet_agents.agent_id')
    .innerJoin('agent_configs as configs', (join) =>
      join.onRef('configs.agent_id', '=', 'agents.id').onRef('configs.id', '=', 'agents.config_id'),
    )
    .where('fleet_agents.handle', '=', handle)
    .select([
      'versions.id',
      'versions.project_id',
      'versions.digest',
      'versions.learned_structure',
      'versions.learned_text_digest',
      'fleet_agents.structure',
      'configs.agent_id',
      'configs.id as config_id',
      'configs.text_digest',
      sql<SqlBool>`configs.created_at > coalesce(fleet_agents.offered_at, 0)`.as('is_of_version'),
    ])
    .executeTakeFirst();
  if (version !== undefined) await learnVersion(trx, version);
}

interface AppliedVersion {
  readonly id: string;
  readonly project_id: string;
  readonly digest: string;
  readonly learned_structure: string | null;
  readonly learned_text_digest: string | null;
  /** Of the configuration that the agent reports. */
  readonly structure: string | null;
  readonly text_digest: string;
  readonly agent_id: string;
  readonly config_id: string;
  /** True: it has sent this configuration since it was offered the version. */
  readonly is_of_version: SqlBool;
}

/**
 * The first agent that runs a version shows what it looks like there. What others report of it differs in the values of variables alone, and is the same
 * configuration. An agent cannot make it the same as another version, whose plugins may be the same.
 */
async function learnVersion(trx: Kysely<Tables>, applied: AppliedVersion): Promise<void> {
  const { id, structure, text_digest } = applied;
  if (applied.learned_structure === null) {
    const isOfOther =
      Boolean(applied.is_of_version) &&
      (await trx
        .selectFrom('fleet_versions')
        .select('id')
        .where('project_id', '=', applied.project_id)
        .where('learned_text_digest', '=', text_digest)
        .where('digest', '!=', applied.digest)
        .limit(1)
        .executeTakeFirst()) !== undefined;
    const { numUpdatedRows } = await trx
      .updateTable('fleet_versions')
      .set({
        learned_structure: structure,
        learned_text_digest: applied.is_of_version && !isOfOther ? text_digest : null,
      })
      .where('id', '=', id)
      .where('learned_structure', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) return;
    // Another replica has learned it meanwhile, and this agent is not asked again.
    const learned = await trx
      .selectFrom('fleet_versions')
      .select(['learned_structure', 'learned_text_digest'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (learned !== undefined) await takeDigest(trx, { ...applied, ...learned });
  } else await takeDigest(trx, applied);
}

/** What the agent reports counts as what its version looks like. */
async function takeDigest(trx: Kysely<Tables>, applied: AppliedVersion): Promise<void> {
  const { structure, text_digest, agent_id, config_id, learned_structure, learned_text_digest } = applied;
  if (
    !applied.is_of_version ||
    structure !== learned_structure ||
    learned_text_digest === null ||
    text_digest === learned_text_digest
  )
    return;
  await trx
    .updateTable('agent_configs')
    .set({ text_digest: learned_text_digest })
    .where('agent_id', '=', agent_id)
    .where('id', '=', config_id)
    .execute();
}

/**
 * Until when all that a core instance was sent has arrived here: signs of life overtake what waits at a site, so that an agent whose registration waits
 * must not count as one that has sent none.
 */
export const deliveredUntil = 'coalesce(core_instances.oldest_spooled_at, core_instances.last_contact_at)';

/** An agent with the name of its fleet and its newest version. */
export interface DescribedFleetAgent extends FleetAgentRow {
  readonly fleet_name: string;
  readonly version_id: string | null;
  readonly version_number: number | null;
  /** 1: the agent runs other plugins or properties than the others with this version. */
  readonly is_other: number;
  /** Until when all that its site was sent has arrived. Null: it is behind no site. */
  readonly delivered_until: number | null;
}

/** What is known of agents that are in fleets, by the ids of the agents. */
export async function listFleetAgents(
  { engine, read }: Pick<Database, 'engine' | 'read'>,
  projectID: string,
  agentIDs: readonly string[],
): Promise<DescribedFleetAgent[]> {
  return read
    .selectFrom('fleet_agents')
    .innerJoin('fleets', 'fleets.id', 'fleet_agents.fleet_id')
    .leftJoin('fleet_publications as publications', (join) =>
      join
        .onRef('publications.project_id', '=', 'fleet_agents.project_id')
        .on(
          'publications.seconds',
          '=',
          sql<number>`coalesce(fleet_agents.offered_seconds, fleet_agents.downloaded_seconds, fleet_agents.applied_seconds)`,
        ),
    )
    .leftJoin('fleet_versions as versions', 'versions.id', 'publications.version_id')
    .leftJoin('agent_signs as signs', (join) =>
      join
        .onRef('signs.project_id', '=', 'fleet_agents.project_id')
        .onRef('signs.agent_id', '=', 'fleet_agents.agent_id'),
    )
    .leftJoin('core_instances', (join) =>
      join
        .onRef('core_instances.id', '=', 'signs.core_instance_id')
        .on('core_instances.deleted_at', 'is', null),
    )
    .where('fleets.deleted_at', 'is', null)
    .where('fleet_agents.project_id', '=', projectID)
    .where(isAnyID(engine, sql.ref('fleet_agents.agent_id'), agentIDs))
    .selectAll('fleet_agents')
    .select([
      'fleets.name as fleet_name',
      'versions.id as version_id',
      'versions.number as version_number',
      sql<number | null>`${sql.raw(deliveredUntil)}`.as('delivered_until'),
      sql<number>`case when versions.learned_structure <> fleet_agents.structure then 1 else 0 end`.as(
        'is_other',
      ),
    ])
    .execute();
}
