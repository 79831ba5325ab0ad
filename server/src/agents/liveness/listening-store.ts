import type { Database } from '../../database/database.ts';

/** With three renewals missed, nobody listens. */
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
 * Notes that a replica listens now; answers since when at least one does without a break. Undefined of an embedded
 * database: its one process knows by itself.
 */
export async function renewListening(database: Database, now: number): Promise<number | undefined> {
  if (database.engine === 'sqlite') return undefined;
  const [row] = await database.postgres.query<{ heard_since: number }>(renewSql, [now]);
  return row?.heard_since;
}
