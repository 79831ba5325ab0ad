import { setTimeout as wait } from 'node:timers/promises';
import type { ErrorIndex } from '../migrations/0007-errors-by-project.ts';
import type { PostgresConnection, PostgresPool } from './postgres-pool.ts';

interface BuiltIndexes {
  /** Index entries. */
  readonly done: number;
  readonly total: number;
}

export interface BuildOptions {
  readonly onProgress: (built: BuiltIndexes) => void;
  /** Called before anything is built, with how much disk that needs. */
  readonly onNeededBytes: (bytes: number) => void;
}

/**
 * What the indexes are expected to need: their own entries, as much again for the log, and for the largest the files by
 * which it is sorted. Measured with 1 million errors, of which half were dismissed: 260 bytes for each error.
 */
const neededBytesPerError = 320;
const pollMilliseconds = 500;
const lockName = 'build indexes';

/**
 * Makes those of the indexes that are not there, one after the other, while errors are read and written as before. Can
 * be killed at any moment: an index that was not finished is made anew by the next run.
 */
export async function buildIndexes(
  pool: PostgresPool,
  table: string,
  indexes: readonly ErrorIndex[],
  { onProgress, onNeededBytes }: BuildOptions,
): Promise<void> {
  await pool.withoutTimeLimits(async (session) => {
    await takeTurn(session);
    try {
      const missing: ErrorIndex[] = [];
      for (const index of indexes) if (!(await isBuilt(session, index.name))) missing.push(index);
      if (missing.length === 0) return;
      const rows = await estimateRows(session, table);
      onNeededBytes(rows * neededBytesPerError);
      for (const [position, index] of missing.entries()) {
        const tell = (share: number): void =>
          onProgress({ done: Math.round((position + share) * rows), total: missing.length * rows });
        tell(0);
        await build(pool, session, index, tell);
        tell(1);
      }
    } finally {
      // Where the connection broke, the server has ended the lock with it.
      await session
        .query('select pg_advisory_unlock(hashtextextended($1, 0))', [lockName])
        .catch(() => undefined);
    }
  });
}

/**
 * Waits for another replica that builds, or for what a killed one has left running on the server. By asking again and
 * again: whoever builds waits for all statements that began before, so that one that waits here would never end.
 */
async function takeTurn(session: PostgresConnection): Promise<void> {
  for (;;) {
    const { rows } = await session.query<{ readonly taken: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
      [lockName],
    );
    if (rows[0]?.taken === true) return;
    await wait(pollMilliseconds);
  }
}

async function isBuilt(session: PostgresConnection, name: string): Promise<boolean> {
  const { rows } = await session.query(
    'select 1 from pg_index where indexrelid = to_regclass($1) and indisvalid',
    [name],
  );
  return rows.length > 0;
}

/** An estimate of the server, which counts nothing. */
async function estimateRows(session: PostgresConnection, table: string): Promise<number> {
  // Where the table was never analyzed the server knows its size alone.
  const { rows } = await session.query<{ readonly rows: number }>(
    `select (case when reltuples > 0 then reltuples else pg_relation_size(oid) / 250 end)::float8 as rows
     from pg_class where oid = to_regclass($1)`,
    [table],
  );
  return Math.round(rows[0]?.rows ?? 0);
}

async function build(
  pool: PostgresPool,
  session: PostgresConnection,
  { name, isUnique, definition }: ErrorIndex,
  tell: (share: number) => void,
): Promise<void> {
  // What is left of one that was not finished; readers and writers do not use it.
  await session.query(`drop index concurrently if exists ${name}`, []);
  const built = session.query(
    `create ${isUnique ? 'unique ' : ''}index concurrently ${name} on ${definition}`,
    [],
  );
  const ended = new AbortController();
  const watched = watch(pool, name, tell, ended.signal);
  try {
    await built;
  } catch (cause) {
    throw new Error(
      `The index ${name} could not be made. Nothing is lost, and the version before goes on working: remove the reason, and start Muster again.`,
      { cause },
    );
  } finally {
    ended.abort();
    await watched;
  }
}

/** Of each index, the first pass over the table takes about as long as all that follows. */
const shareSql = `
  select (case
      when phase like 'building index: scanning%' then 0.5 * blocks_done / greatest(blocks_total, 1)
      when phase like 'building index%' then 0.5 + 0.2 * tuples_done / greatest(tuples_total, 1)
      when phase like 'index validation%' then 0.7 + 0.3 * blocks_done / greatest(blocks_total, 1)
      else 0
    end)::float8 as share
  from pg_stat_progress_create_index
  where datname = current_database() and index_relid = to_regclass($1)`;

async function watch(
  pool: PostgresPool,
  name: string,
  tell: (share: number) => void,
  ended: AbortSignal,
): Promise<void> {
  let told = 0;
  for (;;) {
    await wait(pollMilliseconds, undefined, { signal: ended }).catch(() => undefined);
    if (ended.aborted) return;
    // Progress is for people: without it the index is built all the same.
    const rows = await pool.query<{ readonly share: number }>(shareSql, [name]).catch(() => []);
    const share = rows[0]?.share ?? 0;
    if (share <= told) continue;
    told = share;
    tell(share);
  }
}
