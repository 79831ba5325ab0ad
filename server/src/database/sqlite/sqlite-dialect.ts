import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqliteValue, StatementRunner } from './sqlite-messages.ts';
import type { SqliteThreads } from './sqlite-threads.ts';

/** Kysely over database threads: the writer with one transaction at a time, or readers without transactions. */
export function createSqliteDialect(threads: SqliteThreads, mode: 'read' | 'search' | 'write'): Dialect {
  const createDriver = {
    read: () => new ReadDriver(threads.reader),
    search: () => new ReadDriver(threads.searcher),
    write: () => new WriteDriver(threads),
  }[mode];
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Kysely assumes that SQLite cannot roll back DDL. With this adapter, its migrator runs all migrations or none. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class ThreadConnection implements DatabaseConnection {
  readonly #thread: StatementRunner;
  /** Ends the connection's write turn. */
  readonly release: () => void;

  constructor(thread: StatementRunner, release: () => void = () => undefined) {
    this.#thread = thread;
    this.release = release;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changes } = await this.#thread.execute({
      sql,
      parameters: parameters as SqliteValue[], // what the stores pass is what SQLite takes
    });
    return { rows: rows as R[], numAffectedRows: BigInt(changes) }; // the query names its columns
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('lists are read in pages, never streamed');
  }
}

class ReadDriver implements Driver {
  readonly #connection: ThreadConnection;

  constructor(reader: StatementRunner) {
    this.#connection = new ThreadConnection(reader);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ThreadConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    throw new Error('transactions belong to the writer');
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

class WriteDriver implements Driver {
  readonly #threads: SqliteThreads;

  constructor(threads: SqliteThreads) {
    this.#threads = threads;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ThreadConnection> {
    return new ThreadConnection(this.#threads.writer, await this.#threads.takeWriteTurn());
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('BEGIN IMMEDIATE'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('COMMIT'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw('ROLLBACK'));
    } catch {
      // A failed commit has already rolled back; the caller gets its error.
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof ThreadConnection) connection.release();
  }

  async destroy(): Promise<void> {}
}
