import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { withResolvers } from '../../with-resolvers.ts';
import { backupLockName, isLocked } from '../backup/backup-lock.ts';
import { type CheckpointLimits, Checkpoints, checkpointLimitsOf } from './checkpoints.ts';
import { LateThread } from './late-thread.ts';
import type { SqliteRows } from './sqlite-messages.ts';
import { SqliteThread } from './sqlite-thread-handle.ts';

const maxWaitMilliseconds = 10_000;
const usualMaxLogMegabytes = 64;

/** The threads of an embedded database, and the queue for the write turn. */
export class SqliteThreads {
  readonly reader: SqliteThread;
  /** For reads that may scan many rows. */
  readonly searcher: LateThread;
  readonly writer: SqliteThread;
  readonly #checkpointer: LateThread;
  readonly #checkpoints: Checkpoints;
  /** Resolves when the last turn that was requested ends. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Resolves when the calls that were requested since then are answered. */
  #calls: Promise<unknown> = Promise.resolve();
  #writeTurns = 0;

  private constructor(
    writer: SqliteThread,
    reader: SqliteThread,
    searcher: LateThread,
    checkpointer: LateThread,
    limits: CheckpointLimits,
    onNotice: (notice: string) => void,
    isBackedUp: () => boolean,
  ) {
    this.writer = writer;
    this.reader = reader;
    this.searcher = searcher;
    this.#checkpointer = checkpointer;
    this.#checkpoints = new Checkpoints({
      checkpointer,
      limits,
      onNotice,
      isBackedUp,
      logFrames: () => writer.logFrames,
      takeWriteTurn: () => this.#takeTurn(),
    });
  }

  /** The writer is ready before the reader starts, because it creates the file and needs exclusive access to change the journal mode. */
  static async open(
    file: string,
    onFatal: (error: Error) => void = () => undefined,
    maxLogMegabytes = usualMaxLogMegabytes,
    onNotice: (notice: string) => void = () => undefined,
  ): Promise<SqliteThreads> {
    const maxLogBytes = maxLogMegabytes * 1024 * 1024;
    const writer = new SqliteThread({ file, mode: 'write', maxLogBytes, maxWaitMilliseconds });
    // The log of an earlier process is read first, and may be large.
    await writer.withoutTimeLimit(() => writer.execute({ sql: 'select 1', parameters: [] }));
    const startReader = () => new SqliteThread({ file, mode: 'read', maxWaitMilliseconds });
    const reader = startReader();
    reader.onFatal = onFatal;
    const searcher = new LateThread({ start: startReader, onFatal });
    // From here on, because a failed start is reported by the rejection above.
    writer.onFatal = onFatal;
    return new SqliteThreads(
      writer,
      reader,
      searcher,
      new LateThread({ start: () => new SqliteThread({ file, mode: 'checkpoint' }) }),
      checkpointLimitsOf(maxLogMegabytes),
      onNotice,
      () => isLocked(join(dirname(file), backupLockName)),
    );
  }

  /** How many turns to write and calls have begun so far: where it stands still, nothing has changed. */
  get writeTurns(): number {
    return this.#writeTurns;
  }

  /** Waits until no other transaction is open on the writer. The caller must call the returned function. */
  async takeWriteTurn(): Promise<() => void> {
    return this.#beginWrite(await this.#takeTurn());
  }

  async #beginWrite(end: () => void): Promise<() => void> {
    const { brakeMilliseconds } = this.#checkpoints;
    if (brakeMilliseconds > 0) await setTimeout(brakeMilliseconds);
    // Not before: what is counted later must be written later.
    this.#writeTurns += 1;
    return () => {
      end();
      this.#checkpoints.look();
    };
  }

  async #takeTurn(): Promise<() => void> {
    const before = [this.#turn, this.#calls];
    const { promise, resolve } = withResolvers<void>();
    this.#turn = promise;
    this.#calls = Promise.resolve();
    await Promise.all(before);
    return resolve;
  }

  async #takeCall(): Promise<() => void> {
    const before = this.#turn;
    const { promise, resolve } = withResolvers<void>();
    // Without its results, each would keep those of all before.
    this.#calls = Promise.all([this.#calls, promise]).then(() => undefined);
    await before;
    return resolve;
  }

  /** Runs a statement for many rows in one durable commit, while no other transaction is open. */
  rows(rows: SqliteRows): Promise<void> {
    return this.#whileNoneIsOpen(() => this.writer.rows(rows));
  }

  /** Calls a procedure of the writer in one durable commit, while no other transaction is open. */
  call(name: string, input: unknown): Promise<unknown> {
    return this.#whileNoneIsOpen(() => this.writer.call(name, input));
  }

  /**
   * For work that is one message, so one whole transaction: several may be on their way to the writer, which takes them one after the other without
   * waiting for this thread. Where writes are delayed, each waits for the one before, so that delays add up.
   */
  async #whileNoneIsOpen<Output>(work: () => Promise<Output>): Promise<Output> {
    const isDelayed = this.#checkpoints.brakeMilliseconds > 0;
    const endCall = await this.#beginWrite(await (isDelayed ? this.#takeTurn() : this.#takeCall()));
    try {
      return await work();
    } finally {
      endCall();
    }
  }

  /** Rejects if the database does not answer, or if a write has failed and still fails now. */
  async check(): Promise<void> {
    await this.reader.execute({ sql: 'select 1', parameters: [] });
    if (!this.writer.hasFailed) return;
    // Changes no data, but is still written and synced.
    await this.rows({ sql: 'pragma user_version = 0', rows: [[]] });
    this.writer.noteWorking();
  }

  async close(): Promise<void> {
    const checkpointsEnded = this.#checkpoints.close();
    const endTurn = await this.#takeTurn();
    await checkpointsEnded;
    await this.searcher.close();
    await this.reader.close();
    await this.#checkpointer.close();
    await this.writer.close();
    endTurn();
  }
}
