import type { Kysely } from 'kysely';
import type { PostgresPool } from './postgres/postgres-pool.ts';
import type { SqliteThreads } from './sqlite/sqlite-threads.ts';
import type { Tables } from './tables.ts';

/**
 * An open database. `read` sees committed data; `write` is for statements and transactions that change data. Members of only one engine are under its name.
 */
interface AnyDatabase {
  readonly read: Kysely<Tables>;
  /**
   * Like `read`, for statements that may read many rows. On SQLite they have their own thread, where each statement should still be short, because
   * others wait for their turn: see `walkInPortions`.
   */
  readonly search: Kysely<Tables>;
  readonly write: Kysely<Tables>;
  /**
   * Takes the lock of this name until the transaction ends, and waits for it if necessary. Data that is read afterwards is not changed by
   * transactions that take the same lock.
   */
  takeLock(trx: Kysely<Tables>, name: string): Promise<void>;
  /** Rejects if the database does not answer. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Embedded: only this process writes. */
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
