import type { StatementRunner } from './sqlite-messages.ts';

interface CheckpointsOptions {
  /** A thread of its own, which does nothing else. */
  readonly checkpointer: StatementRunner;
  /** What the log holds now. */
  readonly logFrames: () => number;
  /** Waits until nobody writes, and keeps others from it until what it answers is called. */
  readonly takeWriteTurn: () => Promise<() => void>;
  readonly limits: CheckpointLimits;
  /** Called with a sentence for the log when it has reached its limit and cannot be emptied; once until it was. */
  readonly onNotice?: (notice: string) => void;
}

export interface CheckpointLimits {
  /** From so many frames on, the log is moved into the database. */
  readonly startFrames: number;
  /** From so many on, whoever writes waits for that. */
  readonly maxFrames: number;
}

/** Of `startFrames`: what is left for the end, when nobody may write. It is moved in some milliseconds. */
const restShare = 0.2;
const maxPasses = 3;
/** Of `startFrames`: after one that could not empty the log, since somebody reads from it, the next waits for so many. */
const retryShare = 0.25;
/** Of a disk that hangs, whoever writes is told by the writer itself. */
const maxPauseMilliseconds = 5_000;
/** Of each transaction, while the log is above its limit and a reader keeps it from beginning anew. */
const brakeMilliseconds = 50;

const frameBytes = 4_096 + 24;
const usualStartFrames = 10_000;

export function checkpointLimitsOf(maxLogMegabytes: number): CheckpointLimits {
  const maxFrames = Math.floor((maxLogMegabytes * 1024 * 1024) / frameBytes);
  return { maxFrames, startFrames: Math.min(usualStartFrames, Math.floor(maxFrames / 2)) };
}

/**
 * Moves the write-ahead log into the database, on a thread beside the writer, so that no commit waits for it.
 *
 * Most of it is done while others write. What they have written meanwhile is moved in a turn to write, in which
 * nobody does: only then is the log as a whole in the database, and the next commit begins it anew.
 *
 * Two rules keep clear of a fault in SQLite before 3.51.3 (https://www.sqlite.org/wal.html#walresetbug), where a log
 * that begins anew while a checkpoint starts damages the database. A checkpoint starts beside a writer only when the log
 * holds commits that no checkpoint has moved: such a log cannot begin anew. And only the writer's connection begins
 * the log anew, never this one (so no TRUNCATE), when it commits after a checkpoint that has ended.
 */
export class Checkpoints {
  readonly #options: CheckpointsOptions;
  #run: Promise<void> | undefined;
  #onHurry: () => void = () => undefined;
  /** Where the last one has ended, for as long as the log did not begin anew. */
  #endedAt = 0;
  /** By a reader, or by a disk that fails or is slow. */
  #isHeld = false;
  /** Of the last checkpoint, where the disk or its thread has failed. */
  #failure: string | undefined;
  #hasNotified = false;
  #isClosing = false;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /** To be called when somebody has written. */
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
    this.#run = this.#moveAll().finally(() => {
      this.#run = undefined;
    });
  }

  /** How long whoever is about to write waits, in milliseconds. A log that grew without end would fill the disk. */
  get brakeMilliseconds(): number {
    const { logFrames, limits } = this.#options;
    return this.#isHeld && logFrames() >= limits.maxFrames ? brakeMilliseconds : 0;
  }

  /** Resolves when none is under way; none begins from now on, nor asks for a turn to write. */
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
    // Whoever closes has taken a turn by now, and waits for this to end.
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
    // The next one begins when this one has ended, however late that is.
    await rest;
  }

  #notify(): void {
    const { limits, onNotice } = this.#options;
    if (!this.#isHeld || this.#endedAt < limits.maxFrames || this.#hasNotified) return;
    this.#hasNotified = true;
    const megabytes = Math.ceil((this.#endedAt * frameBytes) / (1024 * 1024));
    const reason =
      this.#failure === undefined
        ? 'another program has been reading the database for some time. Find it and end it'
        : `the last try failed, or has not ended (${this.#failure}). Look at the disk`;
    onNotice?.(
      `The write-ahead log of the embedded database has ${megabytes} MiB, which MUSTER_MAX_LOG_MEGABYTES does not allow, and cannot be emptied: ${reason}. Until then each write is slowed down, and the log grows. Nothing is lost.`,
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

  /** Waits a little for those who read from the log, and sends those who come from now on to the database. */
  async #moveRest(): Promise<void> {
    const moved = await this.#checkpoint('restart');
    this.#isHeld = moved < this.#options.logFrames();
  }

  /** Answers how many frames are in the database. One that fails is tried again later: the log has it all. */
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
