import { parentPort, workerData } from 'node:worker_threads';
import { loadSqliteDriver } from './load-driver.ts';
import type {
  SqliteReply,
  SqliteRequest,
  SqliteResult,
  SqliteRow,
  SqliteRows,
  SqliteStatement,
  SqliteThreadData,
} from './sqlite-messages.ts';

/**
 * One connection on a thread of its own, so that neither a long scan nor a sync of the disk ever holds up the
 * thread that answers HTTP.
 */
const { file, mode } = workerData as SqliteThreadData; // given by sqlite-threads.ts
const { DatabaseSync } = loadSqliteDriver();
const connection = new DatabaseSync(file, { readOnly: false });
configure();

interface PreparedStatement {
  readonly statement: ReturnType<typeof connection.prepare>;
  readonly returnsRows: boolean;
}

const statements = new Map<string, PreparedStatement>();
const mostCachedStatements = 500;

parentPort?.on('message', (request: SqliteRequest) => {
  parentPort?.postMessage(answer(request));
});

function answer(request: SqliteRequest): SqliteReply {
  try {
    switch (request.kind) {
      case 'statement':
        return { id: request.id, results: [execute(request.statement)] };
      case 'rows':
        return { id: request.id, results: together(() => executeRows(request.rows)) };
      case 'close':
        statements.clear();
        connection.close();
        return { id: request.id, results: [] };
    }
  } catch (error) {
    return { id: request.id, error: describe(error) };
  }
}

function together(work: () => SqliteResult[]): SqliteResult[] {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const results = work();
    connection.exec('COMMIT');
    return results;
  } catch (error) {
    try {
      connection.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself; the first error is the one to tell.
    }
    throw error;
  }
}

function execute({ sql, parameters }: SqliteStatement): SqliteResult {
  const { statement, returnsRows } = prepare(sql);
  if (returnsRows) {
    return { rows: statement.all(...parameters) as SqliteRow[], changes: 0 }; // rows of named columns
  }
  return { rows: [], changes: Number(statement.run(...parameters).changes) };
}

function executeRows({ sql, rows, otherwise }: SqliteRows): SqliteResult[] {
  return rows.map((parameters) => {
    const result = execute({ sql, parameters });
    if (otherwise === undefined || result.rows.length > 0) return result;
    return execute({ sql: otherwise.sql, parameters: parameters.slice(0, otherwise.parameterCount) });
  });
}

/** Prepared once each: preparing anew for every call costs more than most statements, and leaks memory. */
function prepare(sql: string): PreparedStatement {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  if (statements.size >= mostCachedStatements) statements.clear();
  const prepared = { statement: connection.prepare(sql), returnsRows: returnsRows(sql) };
  statements.set(sql, prepared);
  return prepared;
}

function returnsRows(sql: string): boolean {
  return /^\s*(select|with|pragma|explain)\b/i.test(sql) || /\breturning\b/i.test(sql);
}

function configure(): void {
  // A reader or a backup from outside may hold a lock for a moment.
  connection.exec('PRAGMA busy_timeout = 5000');
  // Readers and the writer do not wait for each other.
  if (mode === 'write') connection.exec('PRAGMA journal_mode = WAL');
  // Every commit is on the disk before it is acknowledged; WAL alone would default to losing the last ones.
  connection.exec('PRAGMA synchronous = FULL');
  connection.exec('PRAGMA foreign_keys = ON');
  // 16 MiB for the writer, whose indexes are hit at random; pages are read through the kernel's cache anyway.
  connection.exec(`PRAGMA cache_size = ${mode === 'write' ? -16_384 : -8_192}`);
  connection.exec('PRAGMA temp_store = MEMORY');
  if (mode === 'read') connection.exec('PRAGMA query_only = ON');
  expectPragma('journal_mode', 'wal');
  expectPragma('synchronous', 2);
}

function expectPragma(name: string, expected: string | number): void {
  const row = connection.prepare(`PRAGMA ${name}`).get() as SqliteRow | undefined; // one named column
  const actual = row?.[name];
  if (actual !== expected) {
    throw new Error(
      `SQLite answers ${name}=${String(actual)} where Muster needs ${expected} to keep its promises`,
    );
  }
}

function describe(error: unknown): { message: string; code: string | undefined } {
  if (!(error instanceof Error)) return { message: String(error), code: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { message: error.message, code };
}
