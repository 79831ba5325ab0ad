import type { Database } from '../../../foundation/database/database.ts';

/** After three missed renewals, no replica is listening. */
const maxPauseMilliseconds = 40_000;

/** By the clock of the database, which all replicas share. */
const databaseTime = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const renewSql = `
  insert into listening (id, heard_since, renewed_at) values (1, $1, ${databaseTime})
  on conflict (id) do update set
    heard_since = case when listening.renewed_at < ${databaseTime} - ${maxPauseMilliseconds}
      then excluded.heard_since else listening.heard_since end,
    renewed_at = ${databaseTime}
  returning heard_since`;

/**
 * Records that a replica is listening, and returns since when at least one replica has listened without a break.
 * Undefined for an embedded database, whose only process knows this itself.
 */
export async function renewListening(database: Database, now: number): Promise<number | undefined> {
  if (database.engine === 'sqlite') return undefined;
  const [row] = await database.postgres.query<{ heard_since: number }>(renewSql, [now]);
  return row?.heard_since;
}
