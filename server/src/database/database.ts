import type { Kysely } from 'kysely';
import type { PostgresPool } from './postgres/postgres-pool.ts';
import type { SqliteThreads } from './sqlite/sqlite-threads.ts';
import type { Tables } from './tables.ts';

/**
 * One open database. `read` sees what is committed; `write` takes statements and transactions that change
 * something. What only one engine has stands under its name.
 */
interface AnyDatabase {
  readonly read: Kysely<Tables>;
  /**
   * The same for statements that may look at very many rows. On SQLite they have a thread of their own, where each should
   * be short all the same, since others wait for their turn: see `walkInPortions`.
   */
  readonly search: Kysely<Tables>;
  readonly write: Kysely<Tables>;
  /**
   * Waits until no other transaction holds the lock of that name, and holds it until this transaction ends.
   * What is read after it is not changed by others who take the same lock.
   */
  takeLock(trx: Kysely<Tables>, name: string): Promise<void>;
  /** Rejects when the database does not answer. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Embedded: this process is the only one that writes. */
export interface SqliteDatabase extends AnyDatabase {
  readonly engine: 'sqlite';
  readonly sqlite: SqliteThreads;
}

/** Shared: any number of replicas write. */
export interface PostgresDatabase extends AnyDatabase {
  readonly engine: 'postgres';
  readonly postgres: PostgresPool;
}

export type Database = SqliteDatabase | PostgresDatabase;
