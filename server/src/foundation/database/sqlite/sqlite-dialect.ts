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
import { isDeferred } from '../deferred-statement.ts';
import type { SqliteStatement, SqliteValue, StatementRunner } from './sqlite-messages.ts';
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
  /** Statements of the open transaction that go with the next one. Undefined outside of a transaction. */
  #deferred: SqliteStatement[] | undefined;

  constructor(thread: StatementRunner, release: () => void = () => undefined) {
    this.#thread = thread;
    this.release = release;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const statement = { sql, parameters: parameters as SqliteValue[] }; // what the stores pass is what SQLite takes
    if (this.#deferred !== undefined && isDeferred(sql)) {
      this.#deferred.push(statement);
      return { rows: [] };
    }
    const earlier = this.#deferred?.splice(0) ?? [];
    const { rows, changes } = await this.#thread.execute(
      statement,
      earlier.length === 0 ? undefined : earlier,
    );
    return { rows: rows as R[], numAffectedRows: BigInt(changes) }; // the query names its columns
  }

  async begin(): Promise<void> {
    await this.executeQuery(CompiledQuery.raw('BEGIN IMMEDIATE'));
    this.#deferred = [];
  }

  async rollBack(): Promise<void> {
    this.#deferred = undefined;
    await this.executeQuery(CompiledQuery.raw('ROLLBACK'));
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

  async beginTransaction(connection: ThreadConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: ThreadConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('COMMIT'));
  }

  async rollbackTransaction(connection: ThreadConnection): Promise<void> {
    try {
      await connection.rollBack();
    } catch {
      // A failed commit has already rolled back; the caller gets its error.
    }
  }

  async releaseConnection(connection: ThreadConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {}
}
