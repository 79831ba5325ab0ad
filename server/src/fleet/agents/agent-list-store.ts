import type { AgentStatus } from '@muster/contract';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { timeAtPlaceSql } from '../../foundation/database/id-place.ts';
import { isAnyID } from '../../foundation/database/is-any-id.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import { newestFirst } from '../../foundation/database/newest-first.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { arrayHasText, containsText, matchesName } from '../../foundation/database/text-matching.ts';
import { type Page, type PageOf, type RowSize, takeFitting } from '../../foundation/list-page.ts';
import type { AgentRow } from './agent-store.ts';
import type { Moment, StatusFacts } from './liveness/agent-status.ts';
import { agentsThatMayBe, greatest, hasStatus } from './liveness/agent-status-store.ts';

/** Its `last_seen_at` is the later of what its row and its signs of life say. */
export interface AgentRowWithStatus extends AgentRow, StatusFacts {
  readonly last_seen_at: number;
  readonly created_at: number;
  readonly core_instance_id: string | null;
}

export interface AgentFilter {
  readonly projectID: string;
  readonly name: string | undefined;
  /** A part of the name or of the machine id. */
  readonly text?: string | undefined;
  readonly version?: string | undefined;
  readonly status: AgentStatus | undefined;
  readonly tag: string | undefined;
  readonly fleetID: string | undefined;
  /** The core instance that last spoke for it. */
  readonly coreInstanceID?: string | undefined;
  /** Whether it has an open error of the configuration that it runs. */
  readonly hasOpenError?: boolean | undefined;
  /** Only these. */
  readonly agentIDs?: readonly string[] | undefined;
  /** Only agents that were last heard before this time. */
  readonly notSeenSince?: number | undefined;
}

export async function findAgent(
  db: Kysely<Tables>,
  engine: Engine,
  id: string,
): Promise<AgentRowWithStatus | undefined> {
  return selectAgents(db, engine).where('agents.id', '=', id).executeTakeFirst();
}

/** Maximum size of a page with more than one agent: a thousand of the largest would exhaust the memory. */
const maxPageBytes = 4 * 1024 * 1024;

/** A page of agents. It ends early if their descriptions exceed the maximum size of a page. */
export async function listAgents(
  db: Kysely<Tables>,
  engine: Engine,
  filter: AgentFilter,
  page: Page,
  moment: Moment,
): Promise<PageOf<AgentRowWithStatus>> {
  const sizes = await listSizes(db, engine, filter, page, moment);
  const { ids, hasNext } = takeFitting(sizes, page, maxPageBytes);
  if (ids.length === 0) return { rows: [], hasNext };
  // An agent that was deleted meanwhile still has a row, so the page has the bounds that the sizes determined.
  const rows = await selectAgents(db, engine)
    .where(isAnyID(engine, sql.ref('agents.id'), ids))
    .orderBy('agents.id', 'desc')
    .execute();
  return { rows, hasNext };
}

/** The sizes of the agents of a page and of one more. Neither engine reads a long text to get its length. */
async function listSizes(
  db: Kysely<Tables>,
  engine: Engine,
  filter: AgentFilter,
  page: Page,
  moment: Moment,
): Promise<RowSize[]> {
  let query = selectMatching(db, engine, filter, moment).select([
    'agents.id',
    sql<number>`octet_length(metadata) + octet_length(flags) + octet_length(tags)`.as('bytes'),
  ]);
  const ids = await findCandidates(db, engine, filter, moment);
  if (ids !== undefined) query = query.where(isAnyID(engine, sql.ref('agents.id'), ids));
  return newestFirst(query, 'agents.id', page).execute();
}

interface ReportedFleet {
  readonly id: string;
  readonly agents: number;
  /** Null: it was not created in this service. */
  readonly name: string | null;
}

/** The fleets that agents report, with the number of their agents. */
export async function listReportedFleets(
  db: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  limit: number,
): Promise<ReportedFleet[]> {
  const asText = engine === 'sqlite' ? sql`fleets.id` : sql`fleets.id::text`;
  const { rows } = await sql<ReportedFleet>`
    select reported.id, agents, fleets.name from (
      select fleet_id as id, count(*) as agents from agents
      where project_id = ${projectID} and deleted_at is null and fleet_id is not null
      group by fleet_id order by fleet_id limit ${limit}
    ) as reported
    left join fleets on ${asText} = reported.id and fleets.project_id = ${projectID} and fleets.deleted_at is null`.execute(
    db,
  );
  // In the same order on both engines, whatever the collation of the database.
  return rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** The agents that match a filter, with their signs of life. */
export function selectMatching(db: Kysely<Tables>, engine: Engine, filter: AgentFilter, moment: Moment) {
  const { name, text, version, status, tag, fleetID, coreInstanceID, agentIDs, notSeenSince } = filter;
  let query = joinSigns(db, engine)
    .where('agents.project_id', '=', filter.projectID)
    .where('agents.deleted_at', 'is', null);
  if (name !== undefined) query = query.where(matchesName(engine, sql.ref('agents.name'), name));
  if (text !== undefined) {
    const inName = containsText(engine, sql.ref('agents.name'), text);
    const inMachineID = containsText(engine, sql.ref('agents.machine_id'), text);
    query = query.where(sql<boolean>`(${inName} or ${inMachineID})`);
  }
  if (version !== undefined) query = query.where('agents.version', '=', version);
  if (tag !== undefined) query = query.where(arrayHasText(engine, sql.ref('agents.tags'), tag));
  if (fleetID !== undefined) query = query.where('agents.fleet_id', '=', fleetID);
  if (coreInstanceID !== undefined) query = query.where('signs.core_instance_id', '=', coreInstanceID);
  if (status !== undefined) query = query.where(hasStatus(engine, status, moment, hasOpenError(engine)));
  if (filter.hasOpenError !== undefined)
    query = query.where(
      filter.hasOpenError ? hasOpenError(engine) : sql<boolean>`not ${hasOpenError(engine)}`,
    );
  if (agentIDs !== undefined) query = query.where(isAnyID(engine, sql.ref('agents.id'), agentIDs));
  if (notSeenSince !== undefined) query = query.where(lastSeenAt(engine), '<', notSeenSince);
  return query;
}

/** Maximum number of open errors, and of signs of life, that are read to find the agents that may have a status. */
const maxOpenErrorsRead = 1_000;

/**
 * The agents that may have a status; undefined if there are too many, or if every agent may have it. With this list, a
 * few agents among many are found without reading the others.
 */
async function findCandidates(
  db: Kysely<Tables>,
  engine: Engine,
  { projectID, status, hasOpenError: isFailing }: AgentFilter,
  moment: Moment,
): Promise<readonly string[] | undefined> {
  if (isFailing === true) return findAgentsWithOpenErrors(db, engine, projectID);
  if (status === undefined || status === 'healthy') return undefined;
  const maximum = maxOpenErrorsRead + 1;
  const { rows } = await agentsThatMayBe(engine, status, projectID, moment, maximum).execute(db);
  if (rows.length === maximum) return undefined;
  const bySigns = rows.map((row) => row.agent_id);
  if (status !== 'unhealthy' || isFailing === false) return bySigns;
  const byErrors = await findAgentsWithOpenErrors(db, engine, projectID);
  return byErrors === undefined ? undefined : [...new Set([...bySigns, ...byErrors])];
}

/**
 * The agents of a project with open errors, including some of earlier configurations; undefined if there are too many errors to read. With this
 * list, a few unhealthy agents among many are found without reading the others.
 */
async function findAgentsWithOpenErrors(
  db: Kysely<Tables>,
  engine: Engine,
  projectID: string,
): Promise<readonly string[] | undefined> {
  // The same order as the inbox, so that the index on open errors is used.
  const open =
    engine === 'sqlite'
      ? sql<{ agent_id: string }>`
        select id as agent_id from (
          select agent_key from agent_error_rows indexed by agent_error_rows_current_by_project
          where project_key = (select key from id_keys where id = ${projectID})
            and dismissed_at is null and superseded_at is null
          limit ${maxOpenErrorsRead + 1}
        ) join id_keys on key = agent_key`
      : sql<{ agent_id: string }>`
        select agent_id from agent_errors
        where project_id = ${projectID} and dismissed_at is null
        order by id desc limit ${maxOpenErrorsRead + 1}`;
  const { rows } = await open.execute(db);
  return rows.length > maxOpenErrorsRead ? undefined : [...new Set(rows.map((row) => row.agent_id))];
}

function selectAgents(db: Kysely<Tables>, engine: Engine) {
  const openErrors = openErrorsOf(engine);
  return joinSigns(db, engine)
    .selectAll('agents')
    .select([
      lastSeenAt(engine).as('last_seen_at'),
      'signs.promised_ms',
      'signs.observed_ms',
      'signs.offline_at',
      'signs.stopped_at',
      'signs.stop_failed',
      'signs.exit_code',
      'signs.signal',
      'signs.failures',
      'signs.failing_since',
      'signs.failed_at',
      'signs.recovered_at',
      'signs.core_instance_id',
      'signs.unreachable_since',
      sql<
        string | null
      >`(select name from core_instances where core_instances.id = signs.core_instance_id)`.as(
        'core_instance_name',
      ),
      sql<number>`(select count(*) ${openErrors.from})`.as('open_errors'),
      sql<number | null>`(select min(${openErrors.createdAt}) ${openErrors.from})`.as('oldest_open_error_at'),
    ]);
}

function lastSeenAt(engine: Engine): RawBuilder<number> {
  return sql<number>`${greatest(engine)}(agents.last_seen_at, coalesce(signs.seen_at, 0))`;
}

/** By one look-up in the key for each agent: PostgreSQL would otherwise read all signs where it knows too little of them. */
function joinSigns(db: Kysely<Tables>, engine: Engine) {
  if (engine === 'sqlite') {
    return db
      .selectFrom('agents')
      .leftJoin('agent_signs as signs', (join) =>
        join.onRef('signs.project_id', '=', 'agents.project_id').onRef('signs.agent_id', '=', 'agents.id'),
      );
  }
  return db.selectFrom('agents').leftJoinLateral(
    (from) =>
      from
        .selectFrom('agent_signs')
        .selectAll()
        .whereRef('agent_signs.project_id', '=', 'agents.project_id')
        .whereRef('agent_signs.agent_id', '=', 'agents.id')
        // Keeps the planner from making a join of it.
        .limit(1)
        .as('signs'),
    (join) => join.onTrue(),
  );
}

/** The open errors of the configuration that an agent runs, by one range of the index of open errors. */
function openErrorsOf(engine: Engine): {
  readonly from: RawBuilder<unknown>;
  readonly createdAt: RawBuilder<unknown>;
} {
  return engine === 'sqlite'
    ? {
        createdAt: sql.raw(timeAtPlaceSql),
        from: sql`from agent_error_rows indexed by agent_error_rows_open
          where agent_error_rows.agent_key = (select key from id_keys where id_keys.id = agents.id)
            and agent_error_rows.epoch = agents.epoch
            and agent_error_rows.dismissed_at is null`,
      }
    : {
        createdAt: sql`agent_errors.created_at`,
        from: sql`from agent_errors
          where agent_errors.agent_id = agents.id
            and agent_errors.epoch = agents.epoch
            and agent_errors.dismissed_at is null`,
      };
}

/**
 * True if the agent has an open error of its current configuration, which makes it unhealthy.
 *
 * It takes one look-up in the index of open errors per agent. `exists` would not guarantee that: depending on statistics, PostgreSQL turns it into a
 * join or a hash table, and reads all open errors for one page.
 */
function hasOpenError(engine: Engine): RawBuilder<boolean> {
  return engine === 'sqlite'
    ? sql<boolean>`(
      select 1 from agent_error_rows indexed by agent_error_rows_open
      where agent_error_rows.agent_key = (select key from id_keys where id_keys.id = agents.id)
        and agent_error_rows.epoch = agents.epoch
        and agent_error_rows.dismissed_at is null
      limit 1
    ) is not null`
    : sql<boolean>`(
      select 1 from agent_errors
      where agent_errors.agent_id = agents.id
        and agent_errors.epoch = agents.epoch
        and agent_errors.dismissed_at is null
      order by agent_errors.error_digest
      limit 1
    ) is not null`;
}
