import { Worker } from 'node:worker_threads';
import { type PromiseWithResolvers, withResolvers } from '../../with-resolvers.ts';
import { workerFile } from '../../worker-file.ts';
import { explainFailure } from './explain-failure.ts';
import { SqliteError } from './sqlite-error.ts';
import { diskIsSilent, isSqliteUnavailable, readsPileUp, readTakesLong } from './sqlite-failures.ts';
import type {
  SqliteReply,
  SqliteRequest,
  SqliteResult,
  SqliteRows,
  SqliteStatement,
  SqliteThreadData,
  SqliteThreadMode,
  StatementRunner,
} from './sqlite-messages.ts';
import { ThreadControl } from './thread-control.ts';

/** Time is counted in ticks, so that none passes while the whole process is stopped. */
const tickMilliseconds = 500;
/** After this silence of a reader, only a limited number of requests may wait for it; further ones are refused. */
const quietTicks = 2;
const maxWaitingInSilence = 1_000;

interface SqliteThreadOptions {
  readonly file: string;
  readonly mode: SqliteThreadMode;
  readonly maxLogBytes?: number;
  /** After this time, waiting requests are rejected. Absent: no limit. */
  readonly maxWaitMilliseconds?: number | undefined;
}

interface Waiting extends PromiseWithResolvers<unknown> {
  readonly request: SqliteRequest;
  readonly lastTick: number;
}

/** One database thread and its queue of requests, which run in order. */
export class SqliteThread implements StatementRunner {
  readonly #worker: Worker;
  readonly #isReader: boolean;
  readonly #control = new ThreadControl();
  readonly #waiting = new Map<number, Waiting>();
  #lastID = 0;
  /** Number of requests without a reply, including abandoned ones. */
  #unanswered = 0;
  #hasAnswered = false;
  readonly #isTimed: boolean;
  #maxWaitTicks: number;
  #ticks = 0;
  #nextTick: NodeJS.Timeout | undefined;
  /** Ticks since the last reply. */
  #silentTicks = 0;
  #isStalled = false;
  /** Id of the request that rolls back a transaction after a silence. */
  #rollbackID: number | undefined;
  #hasFailed = false;
  #failure: Error | undefined;
  #isClosing = false;
  readonly #onIdle: (() => void)[] = [];
  #onFatal: (error: Error) => void = () => undefined;
  #onOutcomeUnknown: () => void = () => undefined;

  constructor({ file, mode, maxLogBytes = -1, maxWaitMilliseconds }: SqliteThreadOptions) {
    this.#isReader = mode === 'read';
    this.#isTimed = maxWaitMilliseconds !== undefined;
    this.#maxWaitTicks = (maxWaitMilliseconds ?? Number.POSITIVE_INFINITY) / tickMilliseconds;
    this.#worker = new Worker(workerFile('sqlite-worker'), {
      workerData: { file, mode, maxLogBytes, control: this.#control.memory } satisfies SqliteThreadData,
      name: `sqlite-${mode}`,
      // Its heap holds one message at a time; by default, V8 would reserve several times as much.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    this.#worker.on('message', (reply: SqliteReply) => this.#settle(reply));
    this.#worker.on('error', (cause) => this.#fail(new Error('the database thread has ended', { cause })));
    this.#worker.on('exit', () => this.#fail(new Error('the database thread has ended')));
  }

  async execute(statement: SqliteStatement, earlier?: readonly SqliteStatement[]): Promise<SqliteResult> {
    const sent = earlier === undefined ? { statement } : { statement, earlier };
    const output = await this.#send({ id: this.#nextID(), kind: 'statement', ...sent });
    return output as SqliteResult; // as every statement is answered
  }

  /** Runs a statement for many rows in one durable commit, for all of them or none. */
  async rows(rows: SqliteRows): Promise<void> {
    await this.#send({ id: this.#nextID(), kind: 'rows', rows });
  }

  /** Calls a procedure on the thread in one durable commit, and returns its result. */
  call(name: string, input: unknown): Promise<unknown> {
    return this.#send({ id: this.#nextID(), kind: 'procedure', name, input });
  }

  /** For work whose statements may take long. */
  async withoutTimeLimit<T>(work: () => Promise<T>): Promise<T> {
    const limit = this.#maxWaitTicks;
    this.#maxWaitTicks = Number.POSITIVE_INFINITY;
    try {
      return await work();
    } finally {
      this.#maxWaitTicks = limit;
    }
  }

  /** Called when the thread ends without a call of `close`. */
  set onFatal(listener: (error: Error) => void) {
    this.#onFatal = listener;
  }

  /**
   * Called when something may have been committed although its caller got a failure; in the same turn of the event loop in which that becomes known.
   */
  set onOutcomeUnknown(listener: () => void) {
    this.#onOutcomeUnknown = listener;
  }

  /** For a writer: the frames of the log after its last request. */
  get logFrames(): number {
    return this.#control.logFrames;
  }

  /** For a writer: how long the commit of its last call took, in milliseconds, without its statements. */
  get commitMilliseconds(): number {
    return this.#control.commitMicroseconds / 1_000;
  }

  /** The number of the last request that the thread has begun: tests wait for one that will hang. */
  get begun(): number {
    return this.#control.begun;
  }

  /** True once the thread has started and answered. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#failure === undefined && !this.#isStalled) {
      await this.#send({ id: this.#nextID(), kind: 'close' });
    }
    // Terminating a thread in the middle of a statement that then fails can crash the whole process.
    await this.#untilIdle();
    await this.#worker.terminate();
  }

  #untilIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle.push(resolve);
      if (this.#unanswered === 0 || this.#failure !== undefined) this.#reportIdle();
    });
  }

  #reportIdle(): void {
    for (const report of this.#onIdle.splice(0)) report();
  }

  #nextID(): number {
    this.#lastID += 1;
    return this.#lastID;
  }

  #send(request: SqliteRequest): Promise<unknown> {
    const refusal = this.#refusal(request);
    if (refusal !== undefined) return Promise.reject(refusal);
    const waiting = withResolvers<unknown>();
    const ticks = request.kind === 'close' ? Number.POSITIVE_INFINITY : this.#maxWaitTicks;
    this.#waiting.set(request.id, { ...waiting, request, lastTick: this.#ticks + ticks });
    this.#post(request);
    return waiting.promise;
  }

  #refusal({ kind }: SqliteRequest): Error | undefined {
    if (this.#failure !== undefined) return this.#failure;
    if (this.#isStalled) return diskIsSilent();
    const isCrowded = this.#silentTicks >= quietTicks && this.#waiting.size >= maxWaitingInSilence;
    return this.#isReader && isCrowded && kind !== 'close' ? readsPileUp() : undefined;
  }

  #post(request: SqliteRequest): void {
    this.#unanswered += 1;
    this.#worker.postMessage(request);
    if (this.#nextTick === undefined && this.#isTimed) this.#awaitTick();
  }

  #settle(reply: SqliteReply): void {
    this.#hasAnswered = true;
    this.#unanswered -= 1;
    this.#endSilence();
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (waiting === undefined) this.#onOutcomeUnknown();
    if ('error' in reply) {
      const error = new SqliteError(explainFailure(reply.error.message), reply.error.code);
      if (isSqliteUnavailable(error)) this.#hasFailed = true;
      waiting?.reject(error);
      if (reply.isFatal) this.#fail(error);
    } else {
      waiting?.resolve(reply.output);
    }
    if (this.#isStalled && this.#unanswered === 0) this.#resume(reply.id);
    if (this.#unanswered === 0) this.#reportIdle();
  }

  /** True after a failure of the disk, until a write succeeds again. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  noteWorking(): void {
    this.#hasFailed = false;
  }

  #endSilence(): void {
    this.#silentTicks = 0;
    if (this.#unanswered === 0) this.#stopTicking();
  }

  #stopTicking(): void {
    clearTimeout(this.#nextTick);
    this.#nextTick = undefined;
  }

  #awaitTick(): void {
    this.#nextTick = setTimeout(() => this.#tick(), tickMilliseconds);
  }

  #tick(): void {
    this.#awaitTick();
    this.#ticks += 1;
    this.#silentTicks += 1;
    if (this.#silentTicks >= this.#maxWaitTicks && this.#waiting.size > 0) this.#stall();
    else if (this.#isReader) this.#endWaits();
  }

  /** Rejects the requests that have reached the maximum wait. */
  #endWaits(): void {
    const late = [...this.#waiting.values()].filter(({ lastTick }) => lastTick <= this.#ticks);
    if (late.length === 0) return;
    for (const { request, reject } of late) {
      this.#waiting.delete(request.id);
      reject(readTakesLong());
    }
    this.#abandon();
  }

  /**
   * Rejects waiting requests and hands over no more, because they would run when nobody expects them any more: their callers keep what they did not
   * write, and write it again. Only what the thread works on may still be done.
   */
  #stall(): void {
    this.#isStalled = true;
    this.#hasFailed = true;
    this.#rejectWaiting(diskIsSilent());
    this.#abandon();
  }

  /** Tells the thread to skip the requests before the first one that is still awaited. */
  #abandon(): void {
    const [first = this.#lastID + 1] = this.#waiting.keys();
    this.#control.abandonedUpTo = Math.max(this.#control.abandonedUpTo, first - 1);
  }

  /** The thread answers again. A transaction whose caller was already rejected is rolled back first. */
  #resume(lastReplied: number): void {
    if (this.#isReader || lastReplied === this.#rollbackID) {
      this.#isStalled = false;
      return;
    }
    this.#rollbackID = this.#nextID();
    const statement = { sql: 'ROLLBACK', parameters: [] };
    this.#post({ id: this.#rollbackID, kind: 'statement', statement });
  }

  #fail(error: Error): void {
    this.#stopTicking();
    if (this.#failure === undefined && !this.#isClosing) {
      this.#onOutcomeUnknown();
      this.#onFatal(error);
    }
    this.#failure ??= error;
    this.#rejectWaiting(error);
    this.#reportIdle();
  }

  #rejectWaiting(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
