import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import { isAtPlaceSql, placeOfID } from '../../foundation/database/id-place.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { type RowValue, writeRows } from '../../foundation/database/write-rows.ts';

/** Number of repeats of an error, and the time of the last one in milliseconds. */
interface Repeats {
  count: number;
  lastSeenAt: number;
}

/** By error id. */
export type RepeatsOfAgent = Map<string, Repeats>;

/** Adds to the earlier ones in place, because a storm calls this for each of its reports. */
export function mergeRepeats(earlier: RepeatsOfAgent, later: RepeatsOfAgent): RepeatsOfAgent {
  for (const [id, { count, lastSeenAt }] of later) addRepeat(earlier, id, count, lastSeenAt);
  return earlier;
}

export function addRepeat(repeats: RepeatsOfAgent, id: string, count: number, lastSeenAt: number): void {
  const known = repeats.get(id);
  if (known === undefined) {
    repeats.set(id, { count, lastSeenAt });
  } else {
    known.count += count;
    known.lastSeenAt = Math.max(known.lastSeenAt, lastSeenAt);
  }
}

const addRepeatsSql = {
  sqlite: `
    update agent_error_rows
    set occurrences = occurrences + ?3, last_seen_at = max(last_seen_at, ?4)
    where ${isAtPlaceSql('?1', '?2')}`,
  // Locked in the order of the key, so that replicas that update the same rows cannot deadlock.
  postgres: `
    with input as materialized (
      select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[]) as t (agent_id, id, count, seen_at)
    ), locked as materialized (
      select agent_errors.agent_id, agent_errors.id, input.count, input.seen_at
      from agent_errors join input using (agent_id, id)
      order by agent_errors.agent_id, agent_errors.id
      for update of agent_errors
    )
    update agent_errors
    set occurrences = occurrences + locked.count, last_seen_at = greatest(last_seen_at, locked.seen_at)
    from locked
    where agent_errors.agent_id = locked.agent_id and agent_errors.id = locked.id`,
};

/** Adds repeats to errors, by agent, in one durable commit. */
export async function addRepeats(
  database: Database,
  repeats: ReadonlyMap<string, RepeatsOfAgent>,
): Promise<void> {
  const keyOf = database.engine === 'sqlite' ? keyOnSqlite : keyOnPostgres;
  const rows = [...repeats].flatMap(([agentID, ofAgent]) =>
    [...ofAgent].map(([id, { count, lastSeenAt }]) => [...keyOf(agentID, id), count, lastSeenAt]),
  );
  await writeRows(database, addRepeatsSql, rows);
}

function keyOnSqlite(_agentID: string, id: string): readonly RowValue[] {
  const at = placeOfID(id);
  return at === undefined ? [null, null] : [at.place, at.rest];
}

function keyOnPostgres(agentID: string, id: string): readonly RowValue[] {
  return [agentID, id];
}

/** Repeats of one error. */
export interface RepeatsOfError extends Readonly<Repeats> {
  readonly agentID: string;
  readonly id: string;
}

/** The same in a transaction of the caller. */
export async function addRepeatsWithin(
  trx: Kysely<Tables>,
  engine: Database['engine'],
  repeats: readonly RepeatsOfError[],
): Promise<void> {
  if (repeats.length === 0) return;
  if (engine === 'postgres') {
    const columns = [
      repeats.map(({ agentID }) => agentID),
      repeats.map(({ id }) => id),
      repeats.map(({ count }) => count),
      repeats.map(({ lastSeenAt }) => lastSeenAt),
    ];
    await trx.executeQuery(CompiledQuery.raw(addRepeatsSql.postgres, columns));
    return;
  }
  const rows = repeats.flatMap(({ id, count, lastSeenAt }) => {
    const at = placeOfID(id);
    return at === undefined ? [] : [`[${[at.place, at.rest, count, lastSeenAt]}]`];
  });
  // One statement: each is a message to the thread of the database.
  await sql`
    update agent_error_rows
    set occurrences = occurrences + added.count, last_seen_at = max(last_seen_at, added.seen_at)
    from (
      select value ->> 0 as at_place, value ->> 1 as at_rest, value ->> 2 as count, value ->> 3 as seen_at
      from json_each(${`[${rows}]`})
    ) as added
    where ${sql.raw(isAtPlaceSql('added.at_place', 'added.at_rest'))}`.execute(trx);
}
