import type { Kysely } from 'kysely';
import { FairSlots } from '../scheduling/fair-slots.ts';
import type { Database } from './database.ts';
import { noSlot } from './postgres/postgres-failures.ts';
import { GroupedTransactions } from './sqlite/grouped-transactions.ts';
import type { Tables } from './tables.ts';

/** The statements of a transaction. They may run a second time after a rollback. */
type TransactionWork<Result> = (trx: Kysely<Tables>) => Promise<Result>;

/** Runs the transactions of a whole fleet without blocking those of others. */
export interface FleetTransactions {
  /**
   * Resolves when the work is durable. Work with the same key runs one after the other.
   *
   * @throws the error of the work, after a rollback
   */
  run<Result>(key: string, work: TransactionWork<Result>): Promise<Result>;
}

/** Out of the ten connections of a replica. */
const maxConcurrent = 6;
/** Long, because an agent that is refused at its start stays silent until it is restarted. */
const maxWaitMilliseconds = 60_000;

/** SQLite has one writer with expensive commits, so many transactions share one commit. PostgreSQL runs several at a time. */
export function createFleetTransactions(database: Database): FleetTransactions {
  if (database.engine === 'sqlite') return new GroupedTransactions(database.write);
  const slots = new FairSlots({ count: maxConcurrent, maxWaitMilliseconds });
  return {
    async run(_key, work) {
      const giveBack = await slots.take();
      if (giveBack === 'none') throw noSlot();
      try {
        // Transactions with the same key would wait for each other's row locks.
        return await database.write.transaction().execute(work);
      } finally {
        giveBack();
      }
    },
  };
}
