import { type Kysely, type RawBuilder, sql } from 'kysely';
import { minIDAt } from '../foundation/clock.ts';
import type { PostgresDatabase } from '../foundation/database/database.ts';
import { isUniqueViolation } from '../foundation/database/database-failures.ts';
import { inLockOrder } from '../foundation/database/in-lock-order.ts';
import type { Tables } from '../foundation/database/tables.ts';
import { containsText } from '../foundation/database/text-matching.ts';
import type { Page } from '../foundation/list-page.ts';
import type {
  AgentErrorFilter,
  AgentErrorRow,
  AgentErrorStore,
  Dismissal,
  ProjectErrorFilter,
} from './agent-error-store.ts';
import { changeIf } from './change-if.ts';
import {
  epochOfAgent,
  errorsOfAgentSql,
  greatestID,
  isCurrent,
  isInFleet,
  leastID,
} from './error-row-store-postgres.ts';

/** Agent errors on PostgreSQL, which any number of replicas change concurrently. */
export function createPostgresAgentErrorStore({ read, write }: PostgresDatabase): AgentErrorStore {
  return {
    listOfAgent: listAgentErrors,
    listOfProject: listProjectErrors,
    searchProject: ({ db }, filter, page) => listProjectErrors(db, filter, page),
    find: (id) => findAgentError(read, id),
    dismiss: (row, dismissal, onDone) =>
      changeIf(write, (trx) => dismissAgentError(trx, row, dismissal), onDone),
    async reopen(row, onDone) {
      try {
        const isReopened = await changeIf(write, (trx) => reopenAgentError(trx, row), onDone);
        return isReopened ? { kind: 'reopened' } : { kind: 'not_dismissed' };
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        return { kind: 'equal_open', id: (await findOpenEqual(read, row))?.id };
      }
    },
    dismissSuperseded: (before, at, limit) => dismissSupersededErrors(write, before, at, limit),
    deleteDismissed: (before, limit) => deleteDismissedErrors(write, before, limit),
    deleteOfAgents: (agentIDs, limit) => deleteErrorsOfAgents(write, agentIDs, limit),
    deleteOfDeletedProjects: (limit) => deleteErrorsOfDeletedProjects(write, limit),
  };
}

async function listAgentErrors(
  db: Kysely<Tables>,
  agentID: string,
  { dismissed, current }: AgentErrorFilter,
  page: Page,
): Promise<AgentErrorRow[]> {
  const condition = isCurrent(current);
  return listErrorsOfAgent(db, { agentID, dismissed, before: page.before, condition, limit: page.limit + 1 });
}

/** The project is compared last, where it leads to no index: an agent has one, so that nothing else is left out. */
async function listErrorsOfAgent(
  db: Kysely<Tables>,
  {
    projectID,
    ...errors
  }: Omit<Parameters<typeof errorsOfAgentSql>[0], 'columns'> & { readonly projectID?: string },
): Promise<AgentErrorRow[]> {
  const { rows } = await sql<AgentErrorRow>`
    with of_agent as materialized (${errorsOfAgentSql({ ...errors, columns: sql`*` })})
    select *, (select epoch from agents where agents.id = of_agent.agent_id) as agent_epoch from of_agent
    where ${projectID === undefined ? sql`true` : sql`project_id = ${projectID}`}
    order by id desc limit ${errors.limit}`.execute(db);
  return rows;
}

async function listProjectErrors(
  db: Kysely<Tables>,
  filter: ProjectErrorFilter,
  page: Page,
): Promise<AgentErrorRow[]> {
  const { projectID, dismissed, agentID, groupID } = filter;
  // An agent has few errors beside a group.
  if (agentID !== undefined) {
    const condition = conditionOf(filter);
    return listErrorsOfAgent(db, {
      agentID,
      dismissed,
      before: page.before,
      // In a form that leads to no index.
      condition:
        groupID === undefined
          ? condition
          : sql`${condition} and group_id is not distinct from ${groupID}::uuid`,
      projectID,
      limit: page.limit + 1,
    });
  }
  if (groupID !== undefined) return listErrorsOfGroup(db, { ...filter, groupID }, page);
  let query = db
    .selectFrom('agent_errors')
    .selectAll()
    .select(agentEpoch.as('agent_epoch'))
    .where('project_id', '=', projectID);
  if (dismissed !== undefined) query = query.where('dismissed_at', dismissed ? 'is not' : 'is', null);
  if (page.before !== undefined) query = query.where('id', '<', page.before);
  return query
    .where(conditionOf(filter))
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

/** Written so that no statistics make a walk through all errors by their ids look better. */
async function listErrorsOfGroup(
  db: Kysely<Tables>,
  filter: ProjectErrorFilter & { readonly groupID: string },
  { limit, before = greatestID }: Page,
): Promise<AgentErrorRow[]> {
  const { projectID, groupID, dismissed } = filter;
  // In a form that leads to no index: a group has one project, so that nothing else is left out.
  const conditions = [conditionOf(filter), sql`project_id is not distinct from ${projectID}::uuid`];
  if (dismissed !== undefined) {
    conditions.push(dismissed ? sql`dismissed_at is not null` : sql`dismissed_at is null`);
  }
  const { rows } = await sql<AgentErrorRow>`
    select *, ${agentEpoch} as agent_epoch from agent_errors
    where group_id is not null
      and (group_id, id) >= (${groupID}::uuid, ${leastID}::uuid)
      and (group_id, id) < (${groupID}::uuid, ${before}::uuid)
      and ${sql.join(conditions, sql` and `)}
    order by group_id desc, id desc
    limit ${limit + 1}`.execute(db);
  return rows;
}

const agentEpoch = epochOfAgent();

/** What a filter asks of an error besides its project, its agent and whether it was dismissed. */
function conditionOf({
  projectID,
  text,
  fleetID,
  since,
  until,
  dismissed,
  current,
}: ProjectErrorFilter): RawBuilder<boolean> {
  const conditions: RawBuilder<unknown>[] = [isCurrent(current)];
  // The marks come a moment late, but an error that has one is never current again.
  if (current !== undefined && dismissed === false) {
    conditions.push(current ? sql`superseded_at is null` : sql`superseded_at is not null`);
  }
  if (text !== undefined) conditions.push(containsText('postgres', sql.ref('error'), text));
  if (fleetID !== undefined) conditions.push(isInFleet(projectID, fleetID));
  // An error's id holds its time, so that these bounds and the order share one index.
  if (since !== undefined) conditions.push(sql`id >= ${minIDAt(since)}`);
  if (until !== undefined) conditions.push(sql`id < ${minIDAt(until)}`);
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

async function findAgentError(db: Kysely<Tables>, id: string): Promise<AgentErrorRow | undefined> {
  return db
    .selectFrom('agent_errors')
    .innerJoin('projects', 'projects.id', 'agent_errors.project_id')
    .where('projects.deleted_at', 'is', null)
    .where('agent_errors.id', '=', id)
    .selectAll('agent_errors')
    .select(agentEpoch.as('agent_epoch'))
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
        .where('project_id', '=', row.project_id)
        .where('id', '=', row.id),
    )
    .where('dismissed_at', 'is', null)
    .executeTakeFirst();
}

async function dismissAgentError(
  db: Kysely<Tables>,
  row: Pick<AgentErrorRow, 'project_id' | 'id'>,
  dismissal: Dismissal,
): Promise<boolean> {
  const result = await db
    .updateTable('agent_errors')
    .set({
      dismissed_at: dismissal.at,
      dismiss_reason: dismissal.reason,
      dismissed_by_kind: dismissal.by.kind,
      dismissed_by_id: dismissal.by.id,
      dismissal_id: null,
    })
    .where('project_id', '=', row.project_id)
    .where('id', '=', row.id)
    .where('dismissed_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Returns false if it was already open. If it is superseded, it is marked again. @throws a unique violation if an equal error is open */
async function reopenAgentError(
  db: Kysely<Tables>,
  row: Pick<AgentErrorRow, 'project_id' | 'id'>,
): Promise<boolean> {
  const result = await db
    .updateTable('agent_errors')
    .set({
      dismissed_at: null,
      dismiss_reason: null,
      dismissed_by_kind: null,
      dismissed_by_id: null,
      dismissal_id: null,
      is_muted: null,
      superseded_at: null,
    })
    .where('project_id', '=', row.project_id)
    .where('id', '=', row.id)
    .where('dismissed_at', 'is not', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

async function dismissSupersededErrors(
  write: Kysely<Tables>,
  before: number,
  at: number,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ agent_id: string }>`
    with due as materialized (
      select e.project_id, e.id from agent_errors as e
      where (e.project_id, e.id) in (
        select project_id, id from agent_errors
        where superseded_at < ${before} and dismissed_at is null and superseded_at is not null
        limit ${limit}) and e.dismissed_at is null
      order by e.agent_id, e.id
      for no key update
    )
    update agent_errors as e
    set dismissed_at = ${at}, dismissed_by_kind = 'system', dismissed_by_id = null,
      dismiss_reason = 'superseded by configuration ' || coalesce((
        select agents.config_id::text from agents where agents.id = e.agent_id), 'none')
    from due where e.project_id = due.project_id and e.id = due.id
    returning e.agent_id`.execute(write);
  return rows.map(({ agent_id }) => agent_id);
}

async function deleteDismissedErrors(write: Kysely<Tables>, before: number, limit: number): Promise<number> {
  // Checked again for each row: the statement waits for rows that another transaction has locked, and such a row may
  // have been reopened by then.
  // With `+`, so that the index on dismissed_at is not used, which would read all due rows for each portion.
  return deleteErrors(
    write,
    // The first condition is that of the index.
    sql`select project_id, id from agent_errors
      where dismissed_at > 0 and dismissed_at < ${before} limit ${limit}`,
    sql<boolean>`+dismissed_at < ${before}`,
  );
}

async function deleteErrorsOfAgents(
  write: Kysely<Tables>,
  agentIDs: readonly string[],
  limit: number,
): Promise<number> {
  return deleteErrors(
    write,
    sql`select of_agent.project_id, of_agent.id
      from unnest(${agentIDs}::uuid[]) as agent (id)
      cross join lateral (${keysOfAgent(sql`agent.id`, limit)}) as of_agent
      limit ${limit}`,
  );
}

/** By the two indexes that have the errors of an agent: those of the open and of the dismissed ones. */
function keysOfAgent(agentID: RawBuilder<unknown>, limit: number): RawBuilder<unknown> {
  return sql`
    (select e.project_id, e.id from agent_errors as e where e.agent_id = ${agentID} and e.dismissed_at is null
      limit ${limit})
    union all
    (select e.project_id, e.id from agent_errors as e where e.agent_id = ${agentID} and e.dismissed_at is not null
      limit ${limit})
    limit ${limit}`;
}

async function deleteErrorsOfDeletedProjects(write: Kysely<Tables>, limit: number): Promise<number> {
  return deleteErrors(
    write,
    sql`select agent_errors.project_id, agent_errors.id
      from projects join agent_errors on agent_errors.project_id = projects.id
      where projects.deleted_at > 0 limit ${limit}`,
  );
}

/** @param condition checked again after the statement has waited for a row lock; absent: the rows cannot change. */
async function deleteErrors(
  write: Kysely<Tables>,
  keys: RawBuilder<unknown>,
  condition: RawBuilder<boolean> = sql<boolean>`true`,
): Promise<number> {
  const due = sql`select project_id, id from agent_errors where (project_id, id) in (${keys}) and ${condition}`;
  const result = await write
    .deleteFrom('agent_errors')
    .where(sql<boolean>`(project_id, id) in (${inLockOrder(due)})`)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
