import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { SqliteDatabase } from '../../foundation/database/database.ts';
import { idAtPlaceSql, placeOfID } from '../../foundation/database/id-place.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { containsText } from '../../foundation/database/text-matching.ts';
import { isCurrent, isInFleet, keyOf, openOfProject, type Part, placeOf } from '../error-row-store-sqlite.ts';
import type {
  AgentCount,
  ChangedPortion,
  DismissedErrorStore,
  ErrorSelection,
  FoundError,
  WalkStep,
} from './dismissed-error-store.ts';

/** Reads on the thread of searches. Each portion is written by one procedure on the writer's thread. */
export function createSqliteDismissedErrorStore({ sqlite }: SqliteDatabase): DismissedErrorStore {
  return {
    async find(db, selection, step, maxFound) {
      const end = await findEnd(db, selection, step);
      const { rows } = await sql<FoundError>`
        select ${sql.raw(idAtPlaceSql)} as id, agents.id as "agentID",
          ${isCurrent()} as "isCurrent"
        from (
          ${walk(selection, step.after, end, conditionsOf(selection))} order by place limit ${maxFound}
        ) as selected
        cross join agent_error_rows using (place)
        cross join id_keys as agents on agents.key = agent_key
        order by place`.execute(db);
      return { found: rows, end: rows.length === maxFound ? rows.at(-1)?.id : end };
    },
    async count(db, selection, step) {
      const end = await findEnd(db, selection, step);
      const { rows } = await sql<AgentCount>`
        select agents.id as "agentID", errors
        from (
          select agent_key, count(*) as errors
          from (${walk(selection, step.after, end, conditionsOf(selection))}) as selected
          cross join agent_error_rows using (place)
          group by agent_key
        ) cross join id_keys as agents on agents.key = agent_key`.execute(db);
      return { found: rows, end };
    },
    async dismiss(portion) {
      return (await sqlite.call('dismissErrors', portion)) as ChangedPortion | undefined; // what the procedure answers
    },
    async reopen(portion) {
      return (await sqlite.call('reopenErrors', portion)) as ChangedPortion | undefined; // what the procedure answers
    },
  };
}

/** The last of the next `rows` errors after `after`. Reads only the index. Undefined: there are fewer. */
async function findEnd(
  db: Kysely<Tables>,
  selection: ErrorSelection,
  { after, rows: count }: WalkStep,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select ${sql.raw(idAtPlaceSql)} as id from agent_error_rows
    where place = (
      ${walk(selection, after, undefined, [])} order by place limit 1 offset ${count - 1})`.execute(db);
  return rows[0]?.id;
}

/** The places of errors, from one index or two. */
function walk(
  selection: ErrorSelection,
  after: string | null,
  end: string | undefined,
  conditions: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  const range = [
    sql`place < ${placeOfID(selection.boundID)?.place ?? 0n}`,
    ...(after === null ? [] : [sql`place > ${placeOf(after)}`]),
    ...(end === undefined ? [] : [sql`place <= ${placeOf(end)}`]),
  ];
  const parts = partsOf(selection).map(
    ({ index, condition }) => sql`
      select place from agent_error_rows indexed by ${index}
      where ${sql.join([condition, ...range, ...conditions], sql` and `)}`,
  );
  return sql.join(parts, sql` union all `);
}

/** The smallest index that contains all selected errors, and the conditions that it decides without reading rows. */
function partsOf({ projectID, groupIDs, agentIDs, current }: ErrorSelection): readonly Part[] {
  if (groupIDs !== undefined) {
    return [
      {
        index: sql`agent_error_rows_by_group`,
        condition: sql`error_group in (
          select key from agent_error_groups
          where id in (select value from json_each(${JSON.stringify(groupIDs)})))`,
      },
    ];
  }
  if (agentIDs !== undefined) {
    return [
      {
        index: sql`agent_error_rows_open`,
        condition: sql`agent_key in (${keysOf(agentIDs)}) and dismissed_at is null`,
      },
    ];
  }
  const parts = openOfProject(projectID);
  // An error that was superseded a moment ago may not be marked yet, so both indexes can contain superseded errors.
  return current === true ? parts.slice(0, 1) : parts;
}

function conditionsOf(selection: ErrorSelection): RawBuilder<unknown>[] {
  const { projectID, error, text, agentIDs, fleetID, current } = selection;
  const conditions: RawBuilder<unknown>[] = [
    sql`dismissed_at is null`,
    sql`project_key = ${keyOf(projectID)}`,
  ];
  if (error !== undefined) conditions.push(sql`error = ${error}`);
  if (text !== undefined) conditions.push(containsText('sqlite', sql.ref('error'), text));
  if (agentIDs !== undefined) conditions.push(sql`agent_key in (${keysOf(agentIDs)})`);
  if (fleetID !== undefined) conditions.push(isInFleet(projectID, fleetID));
  if (current !== undefined) conditions.push(isCurrent(current));
  return conditions;
}

function keysOf(ids: readonly string[]): RawBuilder<unknown> {
  return sql`select key from id_keys where id in (select value from json_each(${JSON.stringify(ids)}))`;
}
