import type { AgentStatus } from '@muster/contract';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isAnyID } from '../database/is-any-id.ts';
import type { Engine } from '../database/migrations/column-types.ts';
import type { Tables } from '../database/tables.ts';
import { arrayHasText, matchesName } from '../database/text-matching.ts';
import { type Page, type PageOf, type RowSize, takeFitting } from '../page.ts';
import type { AgentRow } from './agent-store.ts';

export type AgentRowWithStatus = AgentRow & { readonly has_open_error: number };

export interface AgentFilter {
  readonly projectID: string;
  readonly name: string | undefined;
  readonly status: AgentStatus | undefined;
  readonly tag: string | undefined;
  readonly fleetID: string | undefined;
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
): Promise<PageOf<AgentRowWithStatus>> {
  const { ids, hasNext } = takeFitting(await listSizes(db, engine, filter, page), page, maxPageBytes);
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
): Promise<RowSize[]> {
  let query = db
    .selectFrom('agents')
    .select([
      'agents.id',
      sql<number>`octet_length(metadata) + octet_length(flags) + octet_length(tags)`.as('bytes'),
    ])
    .where('agents.project_id', '=', filter.projectID)
    .where('agents.deleted_at', 'is', null);
  if (filter.name !== undefined)
    query = query.where(matchesName(engine, sql.ref('agents.name'), filter.name));
  if (filter.tag !== undefined) query = query.where(arrayHasText(engine, sql.ref('agents.tags'), filter.tag));
  if (filter.fleetID !== undefined) query = query.where('agents.fleet_id', '=', filter.fleetID);
  if (filter.status === 'healthy') query = query.where((eb) => eb.not(hasOpenError(engine)));
  if (filter.status === 'unhealthy') {
    query = query.where(hasOpenError(engine));
    const ids = await findAgentsWithOpenErrors(db, engine, filter.projectID);
    if (ids !== undefined) query = query.where(isAnyID(engine, sql.ref('agents.id'), ids));
  }
  if (page.before !== undefined) query = query.where('agents.id', '<', page.before);
  return query
    .orderBy('agents.id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

/** Maximum number of open errors that are read to find the agents that have one. */
const maxOpenErrorsRead = 1_000;

/**
 * The agents of a project with open errors, including errors of earlier configurations; undefined if there are too many errors to read. With this
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
          select agent_key from agent_error_rows indexed by agent_error_rows_open_by_project
          where project_key = (select key from id_keys where id = ${projectID}) and dismissed_at is null
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
  return db
    .selectFrom('agents')
    .selectAll('agents')
    .select(sql<number>`case when ${hasOpenError(engine)} then 1 else 0 end`.as('has_open_error'));
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
