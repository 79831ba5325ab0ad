import type { Kysely } from 'kysely';
import { FairSlots } from '../fair-slots.ts';
import type { Database } from './database.ts';
import { noSlot } from './postgres/postgres-failures.ts';
import { GroupedTransactions } from './sqlite/grouped-transactions.ts';
import type { Tables } from './tables.ts';

/** A transaction's statements. May be run a second time, where the first was undone. */
type TransactionWork<Result> = (trx: Kysely<Tables>) => Promise<Result>;

/** Transactions of a whole fleet at once, which leave room for those of everybody else. */
export interface FleetTransactions {
  /**
   * Resolves when the work is durable. Works with the same key are done one after the other.
   *
   * @throws what the work throws, which is undone then
   */
  run<Result>(key: string, work: TransactionWork<Result>): Promise<Result>;
}

/** Of the ten connections of a replica. */
const maxConcurrent = 6;
/** An agent that is refused when it starts is silent until it is started again: better late than never. */
const maxWaitMilliseconds = 60_000;

/** SQLite has one writer, whose commits are dear: many in one. PostgreSQL has many: some of them at a time. */
export function createFleetTransactions(database: Database): FleetTransactions {
  if (database.engine === 'sqlite') return new GroupedTransactions(database.write);
  const slots = new FairSlots({ count: maxConcurrent, maxWaitMilliseconds });
  return {
    async run(_key, work) {
      const giveBack = await slots.take();
      if (giveBack === 'none') throw noSlot();
      try {
        // Works with the same key wait for each other's rows.
        return await database.write.transaction().execute(work);
      } finally {
        giveBack();
      }
    },
  };
}
