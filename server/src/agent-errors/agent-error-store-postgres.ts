import { type Kysely, type RawBuilder, sql } from 'kysely';
import { minIDAt } from '../clock.ts';
import type { PostgresDatabase } from '../database/database.ts';
import { isUniqueViolation } from '../database/database-failures.ts';
import { inLockOrder } from '../database/in-lock-order.ts';
import type { Tables } from '../database/tables.ts';
import { containsText } from '../database/text-matching.ts';
import type { Page } from '../page.ts';
import type {
  AgentErrorFilter,
  AgentErrorRow,
  AgentErrorStore,
  Dismissal,
  ProjectErrorFilter,
} from './agent-error-store.ts';

/** Agent errors on PostgreSQL, which any number of replicas change concurrently. */
export function createPostgresAgentErrorStore({ read, write }: PostgresDatabase): AgentErrorStore {
  return {
    listOfAgent: (agentID, filter, page) => listAgentErrors(read, agentID, filter, page),
    listOfProject: (filter, page) => listProjectErrors(read, filter, page),
    searchProject: ({ db }, filter, page) => listProjectErrors(db, filter, page),
    find: (id) => findAgentError(read, id),
    dismiss: (row, dismissal) => dismissAgentError(write, row, dismissal),
    async reopen(row) {
      try {
        return (await reopenAgentError(write, row)) ? { kind: 'reopened' } : { kind: 'not_dismissed' };
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        return { kind: 'equal_open', id: (await findOpenEqual(read, row))?.id };
      }
    },
    deleteDismissed: (before, most) => deleteDismissedErrors(write, before, most),
    deleteOfAgent: (agentID, most) => deleteErrorsOfAgent(write, agentID, most),
    deleteOfDeletedAgents: (most) => deleteErrorsOfDeletedAgents(write, most),
    deleteOfDeletedProjects: (most) => deleteErrorsOfDeletedProjects(write, most),
  };
}

async function listAgentErrors(
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

async function listProjectErrors(
  db: Kysely<Tables>,
  filter: ProjectErrorFilter,
  page: Page,
): Promise<AgentErrorRow[]> {
  const { dismissed, text, agentID, fleetID, since, until } = filter;
  let query = db.selectFrom('agent_errors').selectAll().where('project_id', '=', filter.projectID);
  if (dismissed !== undefined) query = query.where('dismissed_at', dismissed ? 'is not' : 'is', null);
  if (text !== undefined) query = query.where(containsText('postgres', sql.ref('error'), text));
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
  // An error's id contains its time, so that these bounds and the order use the same index.
  if (since !== undefined) query = query.where('id', '>=', minIDAt(since));
  if (until !== undefined) query = query.where('id', '<', minIDAt(until));
  if (page.before !== undefined) query = query.where('id', '<', page.before);
  return query
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

/** An error of a project that still exists. */
async function findAgentError(db: Kysely<Tables>, id: string): Promise<AgentErrorRow | undefined> {
  return db
    .selectFrom('agent_errors')
    .innerJoin('projects', 'projects.id', 'agent_errors.project_id')
    .where('projects.deleted_at', 'is', null)
    .where('agent_errors.id', '=', id)
    .selectAll('agent_errors')
    .executeTakeFirst();
}

/** The open error with the same text, agent and configuration as this one. */
async function findOpenEqual(db: Kysely<Tables>, row: AgentErrorRow): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('agent_errors')
    .select('id')
    .where('agent_id', '=', row.agent_id)
    .where('epoch', '=', row.epoch)
    .where('error_digest', '=', (errors) =>
      errors
        .selectFrom('agent_errors')
        .select('error_digest')
        .where('agent_id', '=', row.agent_id)
        .where('id', '=', row.id),
    )
    .where('dismissed_at', 'is', null)
    .executeTakeFirst();
}

/** Returns false if it was already dismissed. */
async function dismissAgentError(
  db: Kysely<Tables>,
  row: Pick<AgentErrorRow, 'agent_id' | 'id'>,
  dismissal: Dismissal,
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

/** Returns false if it was already open. @throws a unique violation if an equal error is open */
async function reopenAgentError(
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

/** Removes up to `most` errors that were dismissed before a time. Returns their number. */
async function deleteDismissedErrors(write: Kysely<Tables>, before: number, most: number): Promise<number> {
  // Checked again for each row: the statement waits for rows that another transaction has locked, and such a row may
  // have been reopened by then.
  // With `+`, so that the index on dismissed_at is not used, which would read all due rows for each portion.
  return deleteErrors(
    write,
    sql`select agent_id, id from agent_errors where dismissed_at < ${before} limit ${most}`,
    sql<boolean>`+dismissed_at < ${before}`,
  );
}

/** Removes up to `most` errors of an agent. Returns their number. */
async function deleteErrorsOfAgent(write: Kysely<Tables>, agentID: string, most: number): Promise<number> {
  return deleteErrors(
    write,
    sql`select agent_id, id from agent_errors where agent_id = ${agentID} limit ${most}`,
  );
}

/** Removes up to `most` errors of deleted agents. Returns their number. */
async function deleteErrorsOfDeletedAgents(write: Kysely<Tables>, most: number): Promise<number> {
  return deleteErrors(
    write,
    sql`select agent_errors.agent_id, agent_errors.id
      from agents join agent_errors on agent_errors.agent_id = agents.id
      where agents.deleted_at is not null limit ${most}`,
  );
}

/** Removes up to `most` errors of deleted projects. Returns their number. */
async function deleteErrorsOfDeletedProjects(write: Kysely<Tables>, most: number): Promise<number> {
  return deleteErrors(
    write,
    sql`select agent_errors.agent_id, agent_errors.id
      from projects join agent_errors on agent_errors.project_id = projects.id
      where projects.deleted_at is not null limit ${most}`,
  );
}

/** @param condition checked again after the statement has waited for a row lock; absent: the rows cannot change. */
async function deleteErrors(
  write: Kysely<Tables>,
  keys: RawBuilder<unknown>,
  condition: RawBuilder<boolean> = sql<boolean>`true`,
): Promise<number> {
  const due = sql`select agent_id, id from agent_errors where (agent_id, id) in (${keys}) and ${condition}`;
  const result = await write
    .deleteFrom('agent_errors')
    .where(sql<boolean>`(agent_id, id) in (${inLockOrder(due)})`)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
