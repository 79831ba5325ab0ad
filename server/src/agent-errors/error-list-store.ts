import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { SearchTurn } from '../database/searches.ts';
import type { Tables } from '../database/tables.ts';
import { containsText } from '../database/text-matching.ts';
import { walkInPortions } from '../database/walk-in-portions.ts';
import type { Page } from '../page.ts';
import type {
  AgentErrorFilter,
  AgentErrorRow,
  AgentErrorStore,
  ProjectErrorFilter,
} from './agent-error-store.ts';
import type { ErrorRows, Range, Sql, Walk } from './rows/error-rows.ts';
import { errorRowsOf } from './rows/error-rows-of.ts';
import { allErrors, newestErrors } from './rows/walk-store.ts';

/** Absent or undefined: not asked for. */
type Filter = Partial<ProjectErrorFilter>;

type Lists = Pick<AgentErrorStore, 'listOfAgent' | 'listOfProject' | 'searchProject' | 'find'>;

export function createErrorLists({ engine, read }: Database): Lists {
  const rows = errorRowsOf(engine);
  return {
    listOfAgent: (agentID, filter: AgentErrorFilter, { limit, before }) =>
      listErrors(read, rows, { ...filter, agentID }, { before }, limit + 1),
    listOfProject: (filter, { limit, before }) => listErrors(read, rows, filter, { before }, limit + 1),
    searchProject: (turn, filter, page) =>
      engine === 'postgres'
        ? listErrors(turn.db, rows, filter, { before: page.before }, page.limit + 1)
        : searchInPortions(turn, rows, filter, page),
    find: (id) => findError(read, rows, id),
  };
}

/** The indexes that lead to the errors of a filter. */
function walksOf({ projectID: id = '', agentID, groupID, dismissed, current }: Filter): readonly Walk[] {
  if (agentID !== undefined) {
    const open: Walk = { of: 'agents', ids: [agentID], state: 'open' };
    const done: Walk = { of: 'agents', ids: [agentID], state: 'dismissed' };
    if (dismissed === undefined) return [open, done];
    return dismissed ? [done] : [open];
  }
  if (groupID !== undefined) return [{ of: 'groups', ids: [groupID] }];
  if (dismissed !== false) return [{ of: 'project', id, state: 'any' }];
  if (current === undefined) return [{ of: 'project', id, state: 'open' }];
  return [{ of: 'project', id, state: current ? 'current' : 'superseded' }];
}

/** What a filter asks besides the conditions of its walks. */
function conditionsOf(rows: ErrorRows, filter: Filter): Sql[] {
  const { projectID, agentID, groupID, text, fleetID, dismissed, current } = filter;
  const conditions: Sql[] = [];
  if (projectID !== undefined && (agentID ?? groupID) !== undefined)
    conditions.push(rows.isProject(projectID));
  if (agentID !== undefined && groupID !== undefined) conditions.push(rows.isGroup([groupID]));
  if (agentID === undefined && dismissed === true) conditions.push(sql`e.dismissed_at is not null`);
  if (agentID === undefined && groupID !== undefined && dismissed === false)
    conditions.push(sql`e.dismissed_at is null`);
  // The epochs: the mark of superseded errors may come later than the configuration.
  if (current !== undefined)
    conditions.push(sql`e.epoch ${sql.raw(current ? '=' : '<>')} ${rows.epochOfAgent}`);
  if (text !== undefined) conditions.push(containsText(rows.engine, sql.ref('e.error'), text));
  if (projectID !== undefined && fleetID !== undefined) conditions.push(rows.isFleet(projectID, fleetID));
  return [...conditions, ...timesOf(rows, filter)];
}

function timesOf(rows: ErrorRows, { since, until }: Filter): Sql[] {
  return [
    ...(since === undefined ? [] : [rows.isSince(since)]),
    ...(until === undefined ? [] : [rows.isUntil(until)]),
  ];
}

async function listErrors(
  db: Kysely<Tables>,
  rows: ErrorRows,
  filter: Filter,
  range: Range,
  limit: number,
): Promise<AgentErrorRow[]> {
  const conditions = conditionsOf(rows, filter);
  const page = newestErrors(rows, walksOf(filter), limit, { range, conditions });
  const found = await sql<AgentErrorRow>`
    select ${rows.columns} from ${rows.fromPage(page)} ${rows.names} order by e.${rows.key} desc`.execute(db);
  return found.rows;
}

/** Searches in portions, one statement each, so that other searches get their turn in between. */
function searchInPortions(
  { db, goOn }: SearchTurn,
  rows: ErrorRows,
  filter: ProjectErrorFilter,
  { limit, before }: Page,
): Promise<AgentErrorRow[]> {
  const { dismissed, current, ...ofAnyState } = filter;
  const walks = walksOf(filter);
  // Only one index has an order, along which its rows can be counted.
  const isOrdered = dismissed === false && current !== undefined && walks.length === 1;
  const counted = isOrdered ? walks : walksOf(ofAnyState);
  return walkInPortions({
    limit: limit + 1,
    before,
    goOn,
    now: () => performance.now(),
    async findEnd(behind, count) {
      const all = allErrors(rows, counted, { range: { before: behind }, conditions: timesOf(rows, filter) });
      const last = sql`${all} order by ${rows.key} desc limit 1 offset ${count - 1}`;
      const { rows: found } = await sql<{ id: string }>`
        select ${rows.id} as id from ${rows.fromPage(last)}`.execute(db);
      return found[0]?.id;
    },
    list: (range, limit) => listErrors(db, rows, filter, range, limit),
  });
}

async function findError(
  db: Kysely<Tables>,
  rows: ErrorRows,
  id: string,
): Promise<AgentErrorRow | undefined> {
  const one = sql`select ${rows.walked} from ${rows.table} as e where ${rows.hasID(id)}`;
  const found = await sql<AgentErrorRow>`
    select * from (select ${rows.columns} from ${rows.fromPage(one)} ${rows.names}) as found
    where exists (
      select 1 from projects as living
      where living.id = found.project_id and living.deleted_at is null)`.execute(db);
  return found.rows[0];
}
