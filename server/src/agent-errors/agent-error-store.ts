import type { Actor } from '@muster/contract';
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import { leastIDAt } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { inLockOrder } from '../database/in-lock-order.ts';
import type { Engine } from '../database/migrations/column-types.ts';
import type { SearchTurn } from '../database/searches.ts';
import type { Tables } from '../database/tables.ts';
import { containsText } from '../database/text-matching.ts';
import { walkInPortions } from '../database/walk-in-portions.ts';
import type { Page } from '../page.ts';

export type AgentErrorRow = Selectable<Tables['agent_errors']>;

export interface AgentErrorFilter {
  /** Undefined: both. */
  readonly dismissed: boolean | undefined;
}

export interface ProjectErrorFilter extends AgentErrorFilter {
  readonly projectID: string;
  /** A part of the text. */
  readonly text: string | undefined;
  readonly agentID: string | undefined;
  readonly fleetID: string | undefined;
  /** Milliseconds, inclusive. */
  readonly since: number | undefined;
  /** Milliseconds, exclusive. */
  readonly until: number | undefined;
}

export async function listAgentErrors(
  db: Kysely<Tables>,
  agentID: string,
  { dismissed }: AgentErrorFilter,
  page: Page,
): Promise<AgentErrorRow[]> {
  let query = db.selectFrom('agent_errors').selectAll().where('agent_id', '=', agentID);
  if (dismissed !== undefined) query = query.where('dismissed_at', dismissed ? 'is not' : 'is', null);
  if (page.before !== undefined) query = query.where('id', '<', page.before);
  return query
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

/** Whether no index leads to what a filter lets through: a page of it may take a look at every error of the project. */
export function isSearch({ text, fleetID, dismissed }: ProjectErrorFilter): boolean {
  return text !== undefined || fleetID !== undefined || dismissed === true;
}

/** The same as `listProjectErrors`, where that may have to look at very many errors. @throws what its turn throws */
export async function searchProjectErrors(
  { db, goOn }: SearchTurn,
  engine: Engine,
  filter: ProjectErrorFilter,
  page: Page,
): Promise<AgentErrorRow[]> {
  if (engine === 'postgres') return listProjectErrors(db, engine, filter, page);
  return walkInPortions({
    limit: page.limit + 1,
    before: page.before,
    goOn,
    now: () => performance.now(),
    findEnd: (before, rows) => findIDBehind(db, filter, before, rows),
    list: ({ before, from }, limit) =>
      listProjectErrors(db, engine, filter, { limit: limit - 1, before }, from),
  });
}

/** The id that many errors behind another one, of those that a filter may let through as far as an index tells. */
async function findIDBehind(
  db: Kysely<Tables>,
  { projectID, agentID, since, until }: ProjectErrorFilter,
  before: string | undefined,
  rows: number,
): Promise<string | undefined> {
  let query = db.selectFrom('agent_errors').select('id').where('project_id', '=', projectID);
  if (agentID !== undefined) query = query.where('agent_id', '=', agentID);
  if (since !== undefined) query = query.where('id', '>=', leastIDAt(since));
  if (until !== undefined) query = query.where('id', '<', leastIDAt(until));
  if (before !== undefined) query = query.where('id', '<', before);
  const row = await query
    .orderBy('id', 'desc')
    .offset(rows - 1)
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** @param from the id of the last one that counts; undefined: all do */
export async function listProjectErrors(
  db: Kysely<Tables>,
  engine: Engine,
  filter: ProjectErrorFilter,
  page: Page,
  from?: string,
): Promise<AgentErrorRow[]> {
  const { dismissed, text, agentID, fleetID, since, until } = filter;
  let query = db.selectFrom('agent_errors').selectAll().where('project_id', '=', filter.projectID);
  if (dismissed !== undefined) query = query.where('dismissed_at', dismissed ? 'is not' : 'is', null);
  if (text !== undefined) query = query.where(containsText(engine, sql.ref('error'), text));
  if (agentID !== undefined) query = query.where('agent_id', '=', agentID);
  if (fleetID !== undefined) {
    query = query.where('agent_id', 'in', (agents) =>
      agents
        .selectFrom('agents')
        .select('id')
        .where('project_id', '=', filter.projectID)
        .where('fleet_id', '=', fleetID),
    );
  }
  // An error's id holds its time, so that these bounds and the order share one index.
  if (since !== undefined) query = query.where('id', '>=', leastIDAt(since));
  if (until !== undefined) query = query.where('id', '<', leastIDAt(until));
  if (page.before !== undefined) query = query.where('id', '<', page.before);
  if (from !== undefined) query = query.where('id', '>=', from);
  return query
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

/** An error of a project that still exists. */
export async function findAgentError(db: Kysely<Tables>, id: string): Promise<AgentErrorRow | undefined> {
  return db
    .selectFrom('agent_errors')
    .innerJoin('projects', 'projects.id', 'agent_errors.project_id')
    .where('projects.deleted_at', 'is', null)
    .where('agent_errors.id', '=', id)
    .selectAll('agent_errors')
    .executeTakeFirst();
}

/** The open error with the same text, agent and configuration as this one. */
export async function findOpenEqual(
  db: Kysely<Tables>,
  row: AgentErrorRow,
): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('agent_errors')
    .select('id')
    .where('agent_id', '=', row.agent_id)
    .where('epoch', '=', row.epoch)
    .where('error_digest', '=', row.error_digest)
    .where('dismissed_at', 'is', null)
    .executeTakeFirst();
}

/** Answers false when it was dismissed already. */
export async function dismissAgentError(
  db: Kysely<Tables>,
  row: Pick<AgentErrorRow, 'agent_id' | 'id'>,
  dismissal: { readonly at: number; readonly reason: string; readonly by: Actor },
): Promise<boolean> {
  const result = await db
    .updateTable('agent_errors')
    .set({
      dismissed_at: dismissal.at,
      dismiss_reason: dismissal.reason,
      dismissed_by_kind: dismissal.by.kind,
      dismissed_by_id: dismissal.by.id,
    })
    .where('agent_id', '=', row.agent_id)
    .where('id', '=', row.id)
    .where('dismissed_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Answers false when it was open already. @throws a unique violation where an equal error stands open */
export async function reopenAgentError(
  db: Kysely<Tables>,
  row: Pick<AgentErrorRow, 'agent_id' | 'id'>,
): Promise<boolean> {
  const result = await db
    .updateTable('agent_errors')
    .set({ dismissed_at: null, dismiss_reason: null, dismissed_by_kind: null, dismissed_by_id: null })
    .where('agent_id', '=', row.agent_id)
    .where('id', '=', row.id)
    .where('dismissed_at', 'is not', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Removes up to `most` errors that were dismissed before a time; answers how many. */
export async function deleteDismissedErrors(
  database: Database,
  before: number,
  most: number,
): Promise<number> {
  // Asked again of each row: one that another transaction holds is waited for, and may have been reopened by then.
  // With a sign, since the index on it would lead through all that are due, for each portion.
  return deleteErrors(
    database,
    sql`select agent_id, id from agent_errors where dismissed_at < ${before} limit ${most}`,
    sql<boolean>`+dismissed_at < ${before}`,
  );
}

/** Removes up to `most` errors of an agent; answers how many. */
export async function deleteErrorsOfAgent(
  database: Database,
  agentID: string,
  most: number,
): Promise<number> {
  return deleteErrors(
    database,
    sql`select agent_id, id from agent_errors where agent_id = ${agentID} limit ${most}`,
  );
}

/** Removes up to `most` errors of agents that were deleted; answers how many. */
export async function deleteErrorsOfDeletedAgents(database: Database, most: number): Promise<number> {
  return deleteErrors(
    database,
    sql`select agent_errors.agent_id, agent_errors.id
      from agents join agent_errors on agent_errors.agent_id = agents.id
      where agents.deleted_at is not null limit ${most}`,
  );
}

/** Removes up to `most` errors of projects that were deleted; answers how many. */
export async function deleteErrorsOfDeletedProjects(database: Database, most: number): Promise<number> {
  return deleteErrors(
    database,
    sql`select agent_errors.agent_id, agent_errors.id
      from projects join agent_errors on agent_errors.project_id = projects.id
      where projects.deleted_at is not null limit ${most}`,
  );
}

/** @param condition what may no longer hold once the statement has waited for a row; absent: nothing may change. */
async function deleteErrors(
  { engine, write }: Database,
  keys: RawBuilder<unknown>,
  condition: RawBuilder<boolean> = sql<boolean>`true`,
): Promise<number> {
  const due = sql`select agent_id, id from agent_errors where (agent_id, id) in (${keys}) and ${condition}`;
  const result = await write
    .deleteFrom('agent_errors')
    .where(sql<boolean>`(agent_id, id) in (${engine === 'postgres' ? inLockOrder(due) : due})`)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
