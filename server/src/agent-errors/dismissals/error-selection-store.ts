import { type Kysely, sql } from 'kysely';
import type { Engine } from '../../database/migrations/column-types.ts';
import type { Tables } from '../../database/tables.ts';
import { containsText } from '../../database/text-matching.ts';
import type { ErrorRows, Range, Sql, Walk } from '../rows/error-rows.ts';
import { errorRowsOf } from '../rows/error-rows-of.ts';
import { allErrors } from '../rows/walk-store.ts';
import type {
  AgentCount,
  DismissedErrorStore,
  ErrorSelection,
  FoundError,
  WalkStep,
} from './dismissed-error-store.ts';

/** Walks through the errors that dismissals select, oldest first. */
export function createErrorSelections(engine: Engine): Pick<DismissedErrorStore, 'find' | 'count'> {
  const rows = errorRowsOf(engine);
  return {
    async find(db, selection, step, maxFound) {
      const end = await findEnd(db, rows, selection, step);
      const selected = selectedErrors(rows, selection, step, end);
      const page = sql`${selected} order by ${rows.keyOrder(walkOf(selection), 'asc')} limit ${maxFound}`;
      const { rows: found } = await sql<FoundError>`
        select ${rows.id} as id, ${rows.agentID} as "agentID" from ${rows.fromPage(page)}
        order by e.${rows.key}`.execute(db);
      return { found, end: found.length === maxFound ? found.at(-1)?.id : end };
    },
    async count(db, selection, step) {
      const end = await findEnd(db, rows, selection, step);
      const { rows: found } = await sql<AgentCount>`
        select ${rows.agentID} as "agentID", errors from (
          select ${rows.agent}, cast(count(*) as integer) as errors
          from ${rows.fromPage(selectedErrors(rows, selection, step, end))} group by ${rows.agent}
        ) as counted`.execute(db);
      return { found, end };
    },
  };
}

/** The last of the next `rows` errors after `after`. Reads only the index. Undefined: there are fewer. */
async function findEnd(
  db: Kysely<Tables>,
  rows: ErrorRows,
  selection: ErrorSelection,
  { after, rows: count }: WalkStep,
): Promise<string | undefined> {
  const walk = walkOf(selection);
  const range: Range = { after: after ?? undefined, before: selection.boundID };
  const all = allErrors(rows, [walk], { range, columns: rows.key });
  const last = sql`${all} order by ${rows.keyOrder(walk, 'asc')} limit 1 offset ${count - 1}`;
  const { rows: found } = await sql<{ id: string }>`
    select ${rows.id} as id from ${rows.fromPage(last)}`.execute(db);
  return found[0]?.id;
}

function selectedErrors(
  rows: ErrorRows,
  selection: ErrorSelection,
  { after }: WalkStep,
  through: string | undefined,
): Sql {
  const range: Range = { after: after ?? undefined, before: selection.boundID, through };
  const conditions = conditionsOf(rows, selection);
  return allErrors(rows, [walkOf(selection)], { range, conditions, columns: rows.walkedAgents });
}

/** The smallest index that contains all selected errors. One that was superseded a moment ago may not be marked yet. */
function walkOf({ projectID: id, groupIDs, agentIDs, current }: ErrorSelection): Walk {
  if (groupIDs !== undefined) return { of: 'groups', ids: groupIDs };
  if (agentIDs !== undefined) return { of: 'agents', ids: agentIDs, state: 'open' };
  return { of: 'project', id, state: current === true ? 'current' : 'open' };
}

function conditionsOf(rows: ErrorRows, selection: ErrorSelection): Sql[] {
  const { projectID, error, text, agentIDs, fleetID, current } = selection;
  const conditions: Sql[] = [rows.isOpen, rows.isProject(projectID)];
  if (error !== undefined) conditions.push(sql`e.error = ${error}`);
  if (text !== undefined) conditions.push(containsText(rows.engine, sql.ref('e.error'), text));
  if (agentIDs !== undefined) conditions.push(rows.isAgent(agentIDs));
  if (fleetID !== undefined) conditions.push(rows.isFleet(projectID, fleetID));
  if (current !== undefined)
    conditions.push(sql`e.epoch ${sql.raw(current ? '=' : '<>')} ${rows.epochOfAgent}`);
  return conditions;
}
