import { type Kysely, sql } from 'kysely';
import { FairSlots } from '../fair-slots.ts';
import { Refusal } from '../refusal.ts';
import type { Database, PostgresDatabase } from './database.ts';
import { isTimeLimit } from './database-failures.ts';
import type { Tables } from './tables.ts';

/** Reads that no index leads to, and that may look at millions of rows to answer nothing. */
export interface Searches {
  /**
   * Answers what the search does, when its turn has come.
   *
   * @param caller whose turn it is. Each has a share.
   * @param hangUp aborted when the caller has hung up: its search waits no more, and one that runs ends
   * @throws Refusal overloaded, where too many search, or the caller hung up; database_unavailable, where it took too
   *   long
   */
  run<Result>(
    caller: string,
    hangUp: AbortSignal,
    search: (turn: SearchTurn) => Promise<Result>,
  ): Promise<Result>;
}

/** What a search has while it is its turn. */
export interface SearchTurn {
  /** For its statements, and for no others. */
  readonly db: Kysely<Tables>;
  /** To be called between two statements. @throws Refusal where nobody waits any more, or it has taken too long */
  readonly goOn: () => void;
}

/**
 * On PostgreSQL each holds one of the ten connections of a replica for up to the 8 s of a statement. On SQLite they take
 * turns on one thread.
 */
const slots = {
  count: 3,
  maxPerCaller: 2,
  maxWaiting: 100,
  maxWaitingPerCaller: 20,
  maxWaitMilliseconds: 6_000,
} as const;

/** As long as a read of SQLite may take; a statement of PostgreSQL has a limit of its own. */
const maxMilliseconds = 10_000;

export function createSearches(database: Database, now: () => number = () => performance.now()): Searches {
  const fairSlots = new FairSlots(slots);
  return {
    async run(caller, hangUp, search) {
      const slot = await fairSlots.take(caller, hangUp);
      if (slot === 'none') throw tooManySearch();
      // Who had closed half of the connection before is answered: nothing more can be learned of that one.
      const gone = hangUp.aborted ? new AbortController().signal : hangUp;
      try {
        if (database.engine === 'postgres') return await searchInTransaction(database, gone, search);
        const startedAt = now();
        const goOn = (): void => {
          if (gone.aborted) throw tooManySearch();
          if (now() - startedAt > maxMilliseconds) throw tookTooLong();
        };
        return await search({ db: database.search, goOn });
      } catch (error) {
        if (gone.aborted) throw tooManySearch();
        throw isTimeLimit(error) ? tookTooLong(error) : error;
      } finally {
        slot();
      }
    },
  };
}

/**
 * Ends the statement of a search when its caller is gone. The transaction stays open until the server has delivered
 * that: until then the server's process works for this search and nobody else, also behind a pool of connections in
 * between, and a cancel that comes when nothing runs has no effect. So it never hits a statement of somebody else.
 */
async function searchInTransaction<Result>(
  { search: db, postgres }: PostgresDatabase,
  gone: AbortSignal,
  search: (turn: SearchTurn) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number; since: string }>`
      select pid, backend_start::text as since from pg_stat_activity where pid = pg_backend_pid()`.execute(
      trx,
    );
    let cancelled: Promise<unknown> | undefined;
    const cancel = (): void => {
      // Where it cannot be delivered, the time limit of a statement ends it.
      cancelled = postgres.query(cancelSql, [rows[0]?.pid, rows[0]?.since]).catch(() => undefined);
    };
    const goOn = (): void => {
      if (gone.aborted) throw tooManySearch();
    };
    goOn();
    gone.addEventListener('abort', cancel);
    try {
      return await search({ db: trx, goOn });
    } finally {
      gone.removeEventListener('abort', cancel);
      await cancelled;
    }
  });
}

/** By its start, too: another host of the same URL may have a process of that number. */
const cancelSql = `
  select pg_cancel_backend(pid) from pg_stat_activity where pid = $1 and backend_start::text = $2`;

function tooManySearch(): Refusal {
  return new Refusal('overloaded', {
    detail:
      'Too many searches run or wait for their turn. Wait as Retry-After says, search one after the other, and narrow each of them with since, until or agent_id.',
    retryAfterSeconds: 5,
  });
}

/** The same once more would take as long, and clients try again by themselves. */
function tookTooLong(cause?: unknown): Refusal {
  return new Refusal('database_unavailable', {
    detail:
      'The search was given up, since it took too long: it has to look at very many errors, or the database is busy. Narrow it with since, until or agent_id.',
    retryAfterSeconds: 30,
    ...(cause === undefined ? {} : { cause }),
  });
}
