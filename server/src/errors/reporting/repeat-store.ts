import { CompiledQuery, type Kysely, sql } from 'kysely';
import { isAtPlaceSql, placeOfID } from '../../foundation/database/id-place.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';

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

/** Repeats of one error. */
export interface RepeatsOfError extends Readonly<Repeats> {
  readonly agentID: string;
  readonly id: string;
}

/** Those of all agents, one after the other. */
export function listRepeats(ofAgents: ReadonlyMap<string, RepeatsOfAgent>): RepeatsOfError[] {
  return [...ofAgents].flatMap(([agentID, ofAgent]) =>
    [...ofAgent].map(([id, repeats]) => ({ agentID, id, ...repeats })),
  );
}

/** Adds repeats to errors, in one durable commit or in a transaction of the caller. */
export async function addRepeats(
  db: Kysely<Tables>,
  engine: Engine,
  repeats: readonly RepeatsOfError[],
): Promise<void> {
  if (repeats.length === 0) return;
  await (engine === 'postgres' ? addOnPostgres(db, repeats) : addOnSqlite(db, repeats));
}

/** Locked in the order of the key, so that replicas that update the same rows cannot deadlock. */
const postgresSql = `
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
  where agent_errors.agent_id = locked.agent_id and agent_errors.id = locked.id`;

async function addOnPostgres(db: Kysely<Tables>, repeats: readonly RepeatsOfError[]): Promise<void> {
  const columns = [
    repeats.map(({ agentID }) => agentID),
    repeats.map(({ id }) => id),
    repeats.map(({ count }) => count),
    repeats.map(({ lastSeenAt }) => lastSeenAt),
  ];
  await db.executeQuery(CompiledQuery.raw(postgresSql, columns));
}

/** One statement: each is a message to the thread of the database. */
async function addOnSqlite(db: Kysely<Tables>, repeats: readonly RepeatsOfError[]): Promise<void> {
  const rows = repeats.flatMap(({ id, count, lastSeenAt }) => {
    const at = placeOfID(id);
    return at === undefined ? [] : [`[${[at.place, at.rest, count, lastSeenAt]}]`];
  });
  await sql`
    update agent_error_rows
    set occurrences = occurrences + added.count, last_seen_at = max(last_seen_at, added.seen_at)
    from (
      select value ->> 0 as at_place, value ->> 1 as at_rest, value ->> 2 as count, value ->> 3 as seen_at
      from json_each(${`[${rows}]`})
    ) as added
    where ${sql.raw(isAtPlaceSql('added.at_place', 'added.at_rest'))}`.execute(db);
}
