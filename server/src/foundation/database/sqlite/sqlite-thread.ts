import { hash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';

import { expectWholeFile } from './expect-whole-file.ts';
import { loadSqliteDriver } from './load-driver.ts';
import { LogLength } from './log-length.ts';
import { FileMovedError, OpenedFiles } from './opened-files.ts';
import { rewriteLog } from './rewrite-log.ts';
import type {
  SqliteReply,
  SqliteRequest,
  SqliteResult,
  SqliteRow,
  SqliteRows,
  SqliteStatement,
  SqliteThreadData,
  SqliteValue,
} from './sqlite-messages.ts';
import type { SqliteProcedure, SqliteProcedures, SqliteStatements } from './sqlite-procedure.ts';
import { ThreadControl } from './thread-control.ts';

/**
 * One connection on its own thread, so that neither a long scan nor a disk sync blocks the thread that answers HTTP.
 */
const { file, mode, maxLogBytes, control: memory } = workerData as SqliteThreadData; // given by sqlite-thread-handle.ts
const control = new ThreadControl(memory);
/** Maximum wait for readers of the log, in milliseconds. Writers wait meanwhile. */
const maxCheckpointWait = 100;
const { DatabaseSync } = loadSqliteDriver();
const connection = new DatabaseSync(file, { readOnly: false });
const log = `${file}-wal`;
configure();
// Only a reader may find a database without a log.
const files = new OpenedFiles(mode === 'write' ? [file, log] : [file]);
const logLength = mode === 'write' ? new LogLength(log) : undefined;

interface PreparedStatement {
  readonly statement: ReturnType<typeof connection.prepare>;
  readonly returnsRows: boolean;
}

const statements = new Map<string, PreparedStatement>();
const maxCachedStatements = 500;

/** Starts answering the requests of the parent thread. */
export function answerRequests(procedures: SqliteProcedures): void {
  parentPort?.on('message', (request: SqliteRequest) => {
    parentPort?.postMessage(answer(request, procedures));
  });
}

function answer(request: SqliteRequest, procedures: SqliteProcedures): SqliteReply {
  try {
    return { id: request.id, output: work(request, procedures) };
  } catch (error) {
    return { id: request.id, error: describe(error), isFatal: error instanceof FileMovedError };
  }
}

function work(request: SqliteRequest, procedures: SqliteProcedures): unknown {
  if (request.id <= control.abandonedUpTo) return undefined;
  control.begun = request.id;
  if (request.kind === 'close') {
    statements.clear();
    logLength?.close();
    connection.close();
    return undefined;
  }
  const output = workOnDatabase(request, procedures);
  if (logLength !== undefined) control.logFrames = logLength.read();
  // After the commit, which may have gone to removed files.
  files.expectInPlace();
  return output;
}

function workOnDatabase(
  request: Exclude<SqliteRequest, { kind: 'close' }>,
  procedures: SqliteProcedures,
): unknown {
  switch (request.kind) {
    case 'statement':
      for (const earlier of request.earlier ?? []) execute(earlier);
      return execute(request.statement);
    case 'rows':
      return together(() => executeRows(request.rows));
    case 'procedure': {
      const procedure = procedures[request.name] as SqliteProcedure<unknown, unknown> | undefined; // the caller passes the right input
      if (procedure === undefined) throw new TypeError(`there is no procedure ${request.name}`);
      startWatches(request.name, procedure);
      try {
        return together(() => procedure.run(preparedStatements, request.input));
      } catch (error) {
        procedure.undo?.();
        throw error;
      }
    }
  }
}

const preparedStatements: SqliteStatements = {
  get(sql, ...parameters) {
    return prepare(sql).statement.get(...parameters) as SqliteRow | undefined; // a row of named columns
  },
  all(sql, ...parameters) {
    return prepare(sql).statement.all(...parameters) as SqliteRow[]; // rows of named columns
  },
  run(sql, ...parameters) {
    return Number(prepare(sql).statement.run(...parameters).changes);
  },
};

const watched = new Set<string>();

/**
 * Before the first run of the procedure, because a migration may create its tables. Uses temporary triggers of this connection, which is the only
 * writer: they see every statement, and are not stored in the file.
 */
function startWatches(name: string, { watches = [] }: SqliteProcedure<unknown, unknown>): void {
  if (watched.has(name)) return;
  watches.forEach(({ table, columns, key, onChange }, index) => {
    const watch = `watch_${name}_${index}`;
    connection.function(watch, (value: SqliteValue) => {
      onChange(value);
      return null;
    });
    connection.exec(`create temp trigger if not exists ${watch} after update of ${columns.join(', ')} on main.${table}
      begin select ${watch}(old.${key}); end`);
  });
  watched.add(name);
}

function together<Output>(work: () => Output): Output {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const results = work();
    const startedAt = performance.now();
    connection.exec('COMMIT');
    control.commitMicroseconds = (performance.now() - startedAt) * 1_000;
    return results;
  } catch (error) {
    try {
      connection.exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back; the first error is the one to report.
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

function executeRows({ sql, rows }: SqliteRows): void {
  for (const parameters of rows) prepare(sql).statement.run(...parameters);
}

/** Each statement is prepared once: preparing it for every call costs more than most statements, and leaks memory. */
function prepare(sql: string): PreparedStatement {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  if (statements.size >= maxCachedStatements) statements.clear();
  const prepared = { statement: connection.prepare(sql), returnsRows: returnsRows(sql) };
  // From Node 26, `run` would throw after it has changed something: it also returns the newest rowid, which exceeds what a number holds.
  if (!prepared.returnsRows) prepared.statement.setReadBigInts(true);
  statements.set(sql, prepared);
  return prepared;
}

function returnsRows(sql: string): boolean {
  return /^\s*(select|with|pragma|explain)\b/i.test(sql) || /\breturning\b/i.test(sql);
}

function configure(): void {
  // Another program, such as a backup, may hold a lock for a moment.
  connection.exec(`PRAGMA busy_timeout = ${mode === 'checkpoint' ? maxCheckpointWait : 5_000}`);
  // Readers and the writer do not wait for each other.
  if (mode === 'write') connection.exec('PRAGMA journal_mode = WAL');
  // Every commit is on the disk before it is acknowledged. By default, WAL mode may lose the last ones.
  connection.exec('PRAGMA synchronous = FULL');
  connection.exec('PRAGMA foreign_keys = ON');
  // A separate thread moves the log into the database (checkpoints.ts).
  connection.exec('PRAGMA wal_autocheckpoint = 0');
  if (mode === 'write') connection.exec(`PRAGMA journal_size_limit = ${maxLogBytes}`);
  // 8 MiB for the writer, whose index accesses are random. Pages are in the kernel's cache anyway: with twice as much, no difference was measured.
  connection.exec(`PRAGMA cache_size = ${mode === 'write' ? -8_192 : -2_048}`);
  connection.exec('PRAGMA temp_store = MEMORY');
  if (mode === 'read') connection.exec('PRAGMA query_only = ON');
  else if (mode === 'write') {
    // PostgreSQL has it, SQLite does not. No trigger or index uses it, so that other programs can open the file.
    connection.function('sha256_hex', { deterministic: true }, (text: SqliteValue) =>
      hash('sha256', String(text)),
    );
    rewriteLogAlone();
  }
  expectPragma('journal_mode', 'wal');
  expectPragma('synchronous', 2);
}

/** Makes the log of an earlier process durable before anything is answered from it. */
function rewriteLogAlone(): void {
  connection.exec('BEGIN IMMEDIATE');
  expectWholeFile(file, log, {
    pageSize: Number(readPragma('page_size')),
    pageCount: Number(readPragma('page_count')),
  });
  rewriteLog(log);
  connection.exec('ROLLBACK');
}

function expectPragma(name: string, expected: string | number): void {
  const actual = readPragma(name);
  if (actual !== expected) {
    throw new Error(
      `SQLite answers ${name}=${String(actual)} where Muster needs ${expected} to keep its promises`,
    );
  }
}

function readPragma(name: string): SqliteValue | undefined {
  const row = connection.prepare(`PRAGMA ${name}`).get() as SqliteRow | undefined; // one named column
  return row?.[name];
}

function describe(error: unknown): { message: string; code: string | undefined } {
  if (!(error instanceof Error)) return { message: String(error), code: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { message: error.message, code };
}
