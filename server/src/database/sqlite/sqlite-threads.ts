import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { explainFailure } from './explain-failure.ts';
import { SqliteError } from './sqlite-error.ts';
import { isSqliteUnavailable } from './sqlite-failures.ts';
import type {
  SqliteReply,
  SqliteRequest,
  SqliteResult,
  SqliteRows,
  SqliteStatement,
  SqliteThreadData,
} from './sqlite-messages.ts';
import { type PromiseWithResolvers, withResolvers } from './with-resolvers.ts';

const longestSilenceMilliseconds = 10_000;

interface SqliteThreadOptions extends SqliteThreadData {
  /** After this, whoever waits for it is told that its disk hangs. Absent: it is waited for without end. */
  readonly longestSilenceMilliseconds?: number | undefined;
}

/** One database thread and the requests that wait for it. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastID = 0;
  /** Requests that the thread has yet to reply to, also those that nobody waits for any more. */
  #unanswered = 0;
  #longestSilence: number | undefined;
  #silence: NodeJS.Timeout | undefined;
  #isStalled = false;
  /** What undoes a transaction after a silence. */
  #rollbackID: number | undefined;
  #hasFailed = false;
  #failure: Error | undefined;
  #isClosing = false;
  #onFatal: (error: Error) => void = () => undefined;

  constructor({ longestSilenceMilliseconds, ...data }: SqliteThreadOptions) {
    this.#longestSilence = longestSilenceMilliseconds;
    this.#worker = new Worker(workerFile(), {
      workerData: data,
      name: `sqlite-${data.mode}`,
      // Its heap holds one message at a time; V8 would set aside several times as much.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    this.#worker.on('message', (reply: SqliteReply) => this.#settle(reply));
    this.#worker.on('error', (cause) => this.#fail(new Error('the database thread has ended', { cause })));
    this.#worker.on('exit', () => this.#fail(new Error('the database thread has ended')));
  }

  async execute(statement: SqliteStatement): Promise<SqliteResult> {
    const output = await this.#send({ id: this.#nextID(), kind: 'statement', statement });
    return output as SqliteResult; // as every statement is answered
  }

  /** A statement for many rows in one durable commit, or for none of them. */
  async rows(rows: SqliteRows): Promise<void> {
    await this.#send({ id: this.#nextID(), kind: 'rows', rows });
  }

  /** Calls a procedure of the thread's program, in one durable commit; answers what it answers. */
  call(name: string, input: unknown): Promise<unknown> {
    return this.#send({ id: this.#nextID(), kind: 'procedure', name, input });
  }

  /** For work whose statements may take long. */
  async withoutTimeLimit<T>(work: () => Promise<T>): Promise<T> {
    const limit = this.#longestSilence;
    this.#longestSilence = undefined;
    try {
      return await work();
    } finally {
      this.#longestSilence = limit;
    }
  }

  /** Called when the thread ends without having been closed. */
  set onFatal(listener: (error: Error) => void) {
    this.#onFatal = listener;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#failure === undefined && !this.#isStalled) {
      await this.#send({ id: this.#nextID(), kind: 'close' });
    }
    await this.#worker.terminate();
  }

  #nextID(): number {
    this.#lastID += 1;
    return this.#lastID;
  }

  #send(request: SqliteRequest): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#isStalled) return Promise.reject(stalled());
    const waiting = withResolvers<unknown>();
    this.#waiting.set(request.id, waiting);
    this.#post(request);
    return waiting.promise;
  }

  #post(request: SqliteRequest): void {
    this.#unanswered += 1;
    this.#worker.postMessage(request);
    if (this.#silence === undefined) this.#awaitReply();
  }

  #awaitReply(): void {
    clearTimeout(this.#silence);
    const isAwaited = this.#longestSilence !== undefined && this.#waiting.size > 0;
    this.#silence = isAwaited ? setTimeout(() => this.#stall(), this.#longestSilence) : undefined;
  }

  #settle(reply: SqliteReply): void {
    this.#unanswered -= 1;
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    this.#awaitReply();
    if ('error' in reply) {
      const error = new SqliteError(explainFailure(reply.error.message), reply.error.code);
      if (isSqliteUnavailable(error)) this.#hasFailed = true;
      waiting?.reject(error);
      if (reply.isFatal) this.#fail(error);
    } else {
      waiting?.resolve(reply.output);
    }
    if (this.#isStalled && this.#unanswered === 0) this.#resume(reply.id);
  }

  /** True from a failure of the disk on, until somebody has seen that it is over. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  noteWorking(): void {
    this.#hasFailed = false;
  }

  /** What waits is told, and nothing more is handed over: it would be done when nobody expects it any more. */
  #stall(): void {
    this.#isStalled = true;
    this.#hasFailed = true;
    this.#rejectWaiting(stalled());
  }

  /** It answers again. A transaction that was begun for a caller who was told otherwise is undone first. */
  #resume(lastReplied: number): void {
    if (lastReplied === this.#rollbackID) {
      this.#isStalled = false;
      return;
    }
    this.#rollbackID = this.#nextID();
    const statement = { sql: 'ROLLBACK', parameters: [] };
    this.#post({ id: this.#rollbackID, kind: 'statement', statement });
  }

  #fail(error: Error): void {
    clearTimeout(this.#silence);
    if (this.#failure === undefined && !this.#isClosing) this.#onFatal(error);
    this.#failure ??= error;
    this.#rejectWaiting(error);
  }

  #rejectWaiting(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

function stalled(): SqliteError {
  return new SqliteError(
    'the disk that holds the data directory does not answer: it hangs, or is far too busy',
    undefined,
  );
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
    const writer = new SqliteThread({ file, mode: 'write', longestSilenceMilliseconds });
    // What an earlier process has left in the log is read first, and may be a lot.
    await writer.withoutTimeLimit(() => writer.execute({ sql: 'select 1', parameters: [] }));
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
  rows(rows: SqliteRows): Promise<void> {
    return this.#inTurn(() => this.writer.rows(rows));
  }

  /** Calls a procedure of the writer's program in one durable commit, when it is its turn. */
  call(name: string, input: unknown): Promise<unknown> {
    return this.#inTurn(() => this.writer.call(name, input));
  }

  async #inTurn<Output>(work: () => Promise<Output>): Promise<Output> {
    const endTurn = await this.takeWriteTurn();
    try {
      return await work();
    } finally {
      endTurn();
    }
  }

  /** Rejects when it does not answer, or did not take a write and does not take one now. */
  async check(): Promise<void> {
    await this.reader.execute({ sql: 'select 1', parameters: [] });
    if (!this.writer.hasFailed) return;
    // Changes nothing, and is written and synced all the same.
    await this.rows({ sql: 'pragma user_version = 0', rows: [[]] });
    this.writer.noteWorking();
  }

  async close(): Promise<void> {
    const endTurn = await this.takeWriteTurn();
    await this.reader.close();
    await this.writer.close();
    endTurn();
  }
}

/** Beside this file in a build; run from source, the built one, since a thread cannot load TypeScript. */
function workerFile(): URL {
  const beside = new URL('./sqlite-worker.mjs', import.meta.url);
  return existsSync(beside) ? beside : new URL('../../../dist/sqlite-worker.mjs', import.meta.url);
}
