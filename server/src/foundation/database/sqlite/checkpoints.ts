import type { StatementRunner } from './sqlite-messages.ts';

interface CheckpointsOptions {
  /** A thread only for checkpoints. */
  readonly checkpointer: StatementRunner;
  /** The current number of frames in the log. */
  readonly logFrames: () => number;
  /** Waits for the write turn, and holds it until the returned function is called. */
  readonly takeWriteTurn: () => Promise<() => void>;
  readonly limits: CheckpointLimits;
  /** True while a backup reads the database. Absent: never. */
  readonly isBackedUp?: () => boolean;
  /** Called with a sentence for the service's log when the write-ahead log has reached its limit and cannot be emptied; only once until it was emptied. */
  readonly onNotice?: (notice: string) => void;
}

export interface CheckpointLimits {
  /** Number of frames from which on the log is moved into the database. */
  readonly startFrames: number;
  /** Number of frames from which on writers wait for that. */
  readonly maxFrames: number;
}

/** Share of `startFrames` that may remain for the end, when writers must wait. It is moved within milliseconds. */
const restShare = 0.2;
const maxPasses = 3;
/** Share of `startFrames` after which the next checkpoint starts if a reader kept the last one from emptying the log. */
const retryShare = 0.25;
/** Maximum time that a checkpoint holds the write turn. If the disk hangs, the writer itself then reports it. */
const maxPauseMilliseconds = 5_000;
/** Multiple of `maxFrames` to which the log may grow during a backup. */
const backupFactor = 16;
/** Delay of each transaction while the log is above its limit and a reader keeps it from restarting. */
const brakeMilliseconds = 50;

const frameBytes = 4_096 + 24;
const usualStartFrames = 10_000;

export function checkpointLimitsOf(maxLogMegabytes: number): CheckpointLimits {
  const maxFrames = Math.floor((maxLogMegabytes * 1024 * 1024) / frameBytes);
  return { maxFrames, startFrames: Math.min(usualStartFrames, Math.floor(maxFrames / 2)) };
}

/**
 * Moves the write-ahead log into the database on its own thread, so that no commit waits for it.
 *
 * Most of it happens while others write. What they write meanwhile is moved during a write turn, while nobody writes: only then is the whole log in
 * the database, and the next commit restarts the log.
 *
 * Two rules avoid a bug in SQLite before 3.51.3 (https://www.sqlite.org/wal.html#walresetbug), where a log that restarts while a checkpoint starts
 * damages the database. First, a checkpoint starts concurrently with a writer only if the log has commits that no checkpoint has moved: such a log
 * cannot restart. Second, only the writer's connection restarts the log, never this one (so no TRUNCATE), when it commits after a finished
 * checkpoint.
 */
export class Checkpoints {
  readonly #options: CheckpointsOptions;
  #run: Promise<void> | undefined;
  #onHurry: () => void = () => undefined;
  /** The frame at which the last checkpoint ended; 0 after the log has restarted. */
  #endedAt = 0;
  /** True if a reader, or a slow or failing disk, keeps the log from being emptied. */
  #isHeld = false;
  /** The reason if the disk or the thread failed during the last checkpoint. */
  #failure: string | undefined;
  #hasNotified = false;
  #isClosing = false;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /** Call it after each write. */
  look(): void {
    const { logFrames, limits } = this.#options;
    const frames = logFrames();
    if (frames < this.#endedAt) {
      this.#endedAt = 0;
      this.#isHeld = false;
      this.#hasNotified = false;
    }
    if (this.#run !== undefined) {
      if (frames >= limits.maxFrames) this.#onHurry();
      return;
    }
    const retry = this.#endedAt === 0 ? 0 : this.#endedAt + retryShare * limits.startFrames;
    if (frames < Math.max(limits.startFrames, retry) || this.#isClosing) return;
    if (frames < limits.maxFrames * backupFactor && this.#options.isBackedUp?.() === true) {
      // The log cannot be emptied before the backup ends, and each attempt would hold up the writers.
      this.#endedAt = frames;
      return;
    }
    this.#run = this.#moveAll().finally(() => {
      this.#run = undefined;
    });
  }

  /** Delay before the next write, in milliseconds, because a log that grows without limit would fill the disk. */
  get brakeMilliseconds(): number {
    const { logFrames, limits } = this.#options;
    return this.#isHeld && logFrames() >= limits.maxFrames ? brakeMilliseconds : 0;
  }

  /** Resolves when no checkpoint is under way. From now on, none starts or requests a write turn. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#run;
  }

  async #moveAll(): Promise<void> {
    const hurry = new Promise<void>((resolve) => {
      this.#onHurry = resolve;
    });
    const passes = this.#moveBesideWriters();
    await Promise.race([passes, hurry]);
    // The closing caller holds the write turn by now, and waits for this to end.
    if (this.#isClosing) {
      await passes;
      return;
    }
    const endTurn = await this.#options.takeWriteTurn();
    let isInTurn = true;
    const rest = passes.then(() => (isInTurn ? this.#moveRest() : undefined));
    try {
      if (!(await endsWithin(rest, maxPauseMilliseconds))) {
        this.#isHeld = true;
        this.#failure = 'it takes longer than five seconds';
      }
    } finally {
      isInTurn = false;
      this.#endedAt = this.#options.logFrames();
      endTurn();
    }
    this.#notify();
    // The next one begins only when this one has ended.
    await rest;
  }

  #notify(): void {
    const { limits, onNotice } = this.#options;
    if (!this.#isHeld || this.#endedAt < limits.maxFrames || this.#hasNotified) return;
    this.#hasNotified = true;
    const megabytes = Math.ceil((this.#endedAt * frameBytes) / (1024 * 1024));
    const reason =
      this.#failure === undefined
        ? 'another program has been reading the database for some time. Find and stop it'
        : `the last attempt failed or has not ended (${this.#failure}). Look at the disk`;
    onNotice?.(
      `The write-ahead log of the embedded database has ${megabytes} MiB, which exceeds MUSTER_MAX_LOG_MEGABYTES, and cannot be emptied: ${reason}. Until then, writes are slowed down and the log grows. Nothing is lost.`,
    );
  }

  async #moveBesideWriters(): Promise<void> {
    for (let pass = 1; pass <= maxPasses; pass += 1) {
      const moved = await this.#checkpoint('passive');
      const { logFrames, limits } = this.#options;
      const frames = logFrames();
      if (frames - moved <= restShare * limits.startFrames || frames >= limits.maxFrames) return;
    }
  }

  /** Waits briefly for readers of the log; later readers read from the database. */
  async #moveRest(): Promise<void> {
    const moved = await this.#checkpoint('restart');
    this.#isHeld = moved < this.#options.logFrames();
  }

  /** Returns the number of frames that are in the database. A failed checkpoint is repeated later, because the log still has everything. */
  async #checkpoint(mode: 'passive' | 'restart'): Promise<number> {
    try {
      const { rows } = await this.#options.checkpointer.execute({
        sql: `pragma wal_checkpoint(${mode})`,
        parameters: [],
      });
      this.#failure = undefined;
      const [{ busy, checkpointed } = { busy: 1, checkpointed: 0 }] = rows;
      return mode === 'restart' && busy === 1 ? 0 : Number(checkpointed);
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
      return 0;
    }
  }
}

async function endsWithin(work: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  const hasEnded = await Promise.race([work.then(() => true), limit]);
  clearTimeout(timer);
  return hasEnded;
}
