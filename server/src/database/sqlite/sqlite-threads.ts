import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type {
  SqliteReply,
  SqliteRequest,
  SqliteResult,
  SqliteRows,
  SqliteStatement,
  SqliteThreadData,
} from './sqlite-messages.ts';

/** A statement that SQLite refused, with the code of its driver. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

/** One database thread and the requests that wait for it. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<readonly SqliteResult[]>>();
  #lastID = 0;
  #failure: Error | undefined;
  #isClosing = false;
  #onFatal: (error: Error) => void = () => undefined;

  constructor(data: SqliteThreadData) {
    this.#worker = new Worker(workerFile(), { workerData: data, name: `sqlite-${data.mode}` });
    this.#worker.on('message', (reply: SqliteReply) => this.#settle(reply));
    this.#worker.on('error', (cause) => this.#fail(new Error('the database thread has ended', { cause })));
    this.#worker.on('exit', () => this.#fail(new Error('the database thread has ended')));
  }

  async execute(statement: SqliteStatement): Promise<SqliteResult> {
    const [result] = await this.#send({ id: this.#nextID(), kind: 'statement', statement });
    return result ?? { rows: [], changes: 0 };
  }

  /** A statement for many rows in one durable commit, or for none of them; results in the order of the rows. */
  rows(rows: SqliteRows): Promise<readonly SqliteResult[]> {
    return this.#send({ id: this.#nextID(), kind: 'rows', rows });
  }

  /** Called when the thread ends without having been closed. */
  set onFatal(listener: (error: Error) => void) {
    this.#onFatal = listener;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#failure === undefined) await this.#send({ id: this.#nextID(), kind: 'close' });
    await this.#worker.terminate();
  }

  #nextID(): number {
    this.#lastID += 1;
    return this.#lastID;
  }

  #send(request: SqliteRequest): Promise<readonly SqliteResult[]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const waiting = withResolvers<readonly SqliteResult[]>();
    this.#waiting.set(request.id, waiting);
    this.#worker.postMessage(request);
    return waiting.promise;
  }

  #settle(reply: SqliteReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) waiting?.reject(new SqliteError(reply.error.message, reply.error.code));
    else waiting?.resolve(reply.results);
  }

  #fail(error: Error): void {
    if (this.#failure === undefined && !this.#isClosing) this.#onFatal(error);
    this.#failure ??= error;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

/** The two threads of an embedded database, and whose turn it is to write. */
export class SqliteThreads {
  readonly reader: SqliteThread;
  readonly writer: SqliteThread;
  #turn: Promise<void> = Promise.resolve();

  private constructor(writer: SqliteThread, reader: SqliteThread) {
    this.writer = writer;
    this.reader = reader;
  }

  /** The writer is ready before the reader starts: it makes the file, and its change of mode takes it alone. */
  static async open(file: string, onFatal: (error: Error) => void = () => undefined): Promise<SqliteThreads> {
    const writer = new SqliteThread({ file, mode: 'write' });
    await writer.execute({ sql: 'select 1', parameters: [] });
    const reader = new SqliteThread({ file, mode: 'read' });
    // From here on: one that never came up is told by the rejection above.
    writer.onFatal = onFatal;
    reader.onFatal = onFatal;
    return new SqliteThreads(writer, reader);
  }

  /** Waits until no other transaction is open on the writer. The caller must call what it gets back. */
  async takeWriteTurn(): Promise<() => void> {
    const before = this.#turn;
    const { promise, resolve } = withResolvers<void>();
    this.#turn = promise;
    await before;
    return resolve;
  }

  /** A statement for many rows in one durable commit, when it is its turn. */
  async rows(rows: SqliteRows): Promise<readonly SqliteResult[]> {
    const endTurn = await this.takeWriteTurn();
    try {
      return await this.writer.rows(rows);
    } finally {
      endTurn();
    }
  }

  async close(): Promise<void> {
    const endTurn = await this.takeWriteTurn();
    await this.reader.close();
    await this.writer.close();
    endTurn();
  }
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

/** Promise.withResolvers, which Node 20 lacks. */
function withResolvers<T>(): PromiseWithResolvers<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** Beside this file in a build; run from source, the built one, since a thread cannot load TypeScript. */
function workerFile(): URL {
  const beside = new URL('./sqlite-worker.mjs', import.meta.url);
  return existsSync(beside) ? beside : new URL('../../../dist/sqlite-worker.mjs', import.meta.url);
}
