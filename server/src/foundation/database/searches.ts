import { type Kysely, sql } from 'kysely';
import { Refusal } from '../refusal.ts';
import { FairSlots } from '../scheduling/fair-slots.ts';
import type { Database } from './database.ts';
import { isTimeLimit } from './database-failures.ts';
import { type ListSource, type Lists, listsOf, type StandbySource } from './lists.ts';
import type { PostgresPool } from './postgres/postgres-pool.ts';
import type { Tables } from './tables.ts';

/** Reads without a suitable index, which may scan millions of rows. */
export interface Searches {
  /**
   * Runs a search when its turn has come, and returns its result.
   *
   * @param caller the caller; turns are shared fairly among callers
   * @param hangUp aborted when the caller has hung up: a waiting search gives up, and a running one ends
   * @param asker who may be answered from a standby, see `Lists`. The search runs twice then if the standby fails
   * @throws Refusal overloaded if too many searches wait, or if the caller hung up; database_unavailable if it took too long
   */
  run<Result>(
    caller: string,
    hangUp: AbortSignal,
    search: (turn: SearchTurn) => Promise<Result>,
    asker?: { readonly kind: string },
  ): Promise<Result>;
}

/** What a search gets during its turn. */
export interface SearchTurn {
  /** Only for the statements of the search. */
  readonly db: Kysely<Tables>;
  /** As in `ListSource`. */
  readonly standby?: StandbySource | undefined;
  /** Call it between two statements. @throws Refusal if the caller has hung up, or if the search has taken too long */
  readonly goOn: () => void;
}

/**
 * On PostgreSQL, each search holds one of the ten connections of a replica for up to 8 s, the timeout of a statement. On SQLite, searches take turns
 * on one thread.
 */
const slots = {
  count: 3,
  maxPerCaller: 2,
  maxWaiting: 100,
  maxWaitingPerCaller: 20,
  maxWaitMilliseconds: 6_000,
} as const;

/** The same as the limit of a read on SQLite. On PostgreSQL, statements have their own timeout. */
const maxMilliseconds = 10_000;

export function createSearches(
  database: Database,
  now: () => number = () => performance.now(),
  lists: Lists = listsOf(database),
): Searches {
  const fairSlots = new FairSlots(slots);
  return {
    async run(caller, hangUp, search, asker) {
      const slot = await fairSlots.take(caller, hangUp);
      if (slot === 'none') throw tooManySearch();
      // A caller that had already closed half of the connection is answered, because a later hang-up cannot be detected.
      const gone = hangUp.aborted ? new AbortController().signal : hangUp;
      try {
        if (database.engine === 'postgres') {
          const { postgres } = database;
          return await lists.read(
            asker,
            (source) => searchInTransaction(source, source.postgres ?? postgres, gone, search),
            { isSearch: true },
          );
        }
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
 * Cancels the statement of a search when its caller hangs up. The transaction stays open until the cancel request was delivered: until then, the
 * server process belongs to this search, even behind a connection pooler, and a cancel while nothing runs has no effect. So it never cancels a
 * statement of another caller.
 */
async function searchInTransaction<Result>(
  { db, standby }: ListSource,
  postgres: PostgresPool,
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
      // If it cannot be delivered, the statement timeout ends the search.
      cancelled = postgres.query(cancelSql, [rows[0]?.pid, rows[0]?.since]).catch(() => undefined);
    };
    const goOn = (): void => {
      if (gone.aborted) throw tooManySearch();
    };
    goOn();
    gone.addEventListener('abort', cancel);
    try {
      return await search({ db: trx, standby, goOn });
    } finally {
      gone.removeEventListener('abort', cancel);
      await cancelled;
    }
  });
}

/** Also compares the start time, because another host of the same URL may have a process with the same number. */
const cancelSql = `
  select pg_cancel_backend(pid) from pg_stat_activity where pid = $1 and backend_start::text = $2`;

function tooManySearch(): Refusal {
  return new Refusal('overloaded', {
    detail:
      'Too many searches run or wait for their turn. Wait for the seconds in Retry-After, run searches one after the other, and narrow each with since, until or agent_id.',
    retryAfterSeconds: 5,
  });
}

/** Without Retry-After, because the same search would take as long again, and clients retry automatically. */
function tookTooLong(cause?: unknown): Refusal {
  return new Refusal('database_unavailable', {
    detail:
      'The search was cancelled because it took too long: it must read too many errors, or the database is busy. Narrow it with since, until or agent_id.',
    retryAfterSeconds: 30,
    ...(cause === undefined ? {} : { cause }),
  });
}
