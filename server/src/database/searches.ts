import { FairSlots } from '../fair-slots.ts';
import { Refusal } from '../refusal.ts';
import type { Database } from './database.ts';
import { isTimeLimit } from './database-failures.ts';

/** Reads that no index leads to, and that may look at millions of rows to answer nothing. */
export interface Searches {
  /**
   * Answers what the search does, when its turn has come.
   *
   * @param caller whose turn it is. Each has a share.
   * @param hangUp aborted when the caller has hung up, and its search waits no more.
   * @throws Refusal overloaded, where too many search, or the caller hung up; database_unavailable, where it took too
   *   long
   */
  run<Result>(caller: string, hangUp: AbortSignal, search: () => Promise<Result>): Promise<Result>;
}

/** Of the ten connections of a replica: each search holds one for up to the 8 s of a statement. */
const slots = {
  count: 3,
  mostOfOne: 2,
  mostWaiting: 100,
  mostWaitingOfOne: 20,
  longestWaitMilliseconds: 6_000,
} as const;

/** SQLite has threads that read, and leaves those that are slow to themselves. PostgreSQL has connections for all. */
export function createSearches(database: Database): Searches {
  const fairSlots = database.engine === 'postgres' ? new FairSlots(slots) : undefined;
  return {
    async run(caller, hangUp, search) {
      const slot = await fairSlots?.take(caller, hangUp);
      if (slot === 'none') throw tooManySearch();
      try {
        return await search();
      } catch (error) {
        throw isTimeLimit(error) ? tookTooLong(error) : error;
      } finally {
        slot?.();
      }
    },
  };
}

function tooManySearch(): Refusal {
  return new Refusal('overloaded', {
    detail:
      'Too many searches run or wait for their turn. Wait as Retry-After says, search one after the other, and narrow each of them with since, until or agent_id.',
    retryAfterSeconds: 5,
  });
}

/** The same once more would take as long, and clients try again by themselves. */
function tookTooLong(cause: unknown): Refusal {
  return new Refusal('database_unavailable', {
    detail:
      'The search was given up, since it took too long: it has to look at very many errors, or the database is busy. Narrow it with since, until or agent_id.',
    retryAfterSeconds: 30,
    cause,
  });
}
