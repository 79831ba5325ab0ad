import { explainFailure } from './explain-failure.ts';
import { lineFormats } from './lines/error-line.ts';
import { containsError, describeFailedExit } from './lines/failed-exit.ts';
import { type OutputName, OutputReading, type OutputStream } from './output-reading.ts';
import type { ReportOptions } from './report-options.ts';
import type { Goodbye } from './sending/heartbeats.ts';
import { Outbox } from './sending/outbox.ts';
import { RepeatFilter } from './sending/repeat-filter.ts';
import type { Sending } from './start-sending.ts';

/** An agent is registered when it has run for this long. Its version is known by then. */
const registerAfterMilliseconds = 1_000;

export interface ReportingOptions {
  readonly options: ReportOptions;
  readonly type: string;
  /** The name of the agent's program if it is a known one, otherwise its type: what its lines look like. */
  readonly dialect: string;
  readonly configFiles: readonly string[];
  /** Writes a line to stderr. */
  readonly tell: (message: string) => void;
  /** Called with each error instead of sending it. */
  readonly print?: ((text: string) => void) | undefined;
}

/** Reports the errors in the output of an agent. Nothing that it does, and no failure, affects the agent. */
export class Reporting {
  readonly #given: ReportingOptions;
  readonly #outbox = new Outbox();
  readonly #filter: RepeatFilter;
  readonly #reading: OutputReading;
  readonly #told = new Set<string>();
  #sending: Promise<Sending | undefined> | undefined;
  #started: Sending | undefined;
  #registration: NodeJS.Timeout | undefined;
  /** Errors that were found before the configuration was read. */
  #early: string[] | undefined = [];
  /** Errors that were found while the configuration is read again. */
  #held: string[] | undefined;
  #reloads = 0;
  readonly #ending = new AbortController();
  #foundCount = 0;
  #reportedDrops = 0;
  #skippedBytes = 0;
  #reportedSkips = 0;
  #giveUp: () => void = () => undefined;

  constructor(given: ReportingOptions) {
    this.#given = given;
    const { dryRun, level, pattern, repeatSeconds } = given.options;
    this.#filter = new RepeatFilter({
      intervalMilliseconds: dryRun ? Number.POSITIVE_INFINITY : repeatSeconds * 1_000,
      now: () => performance.now(),
    });
    this.#reading = new OutputReading({
      level,
      dialect: given.dialect,
      pattern,
      onText: (text) => this.add(text),
      onDropped: () => this.#outbox.countDropped(1),
      onSkipped: (bytes) => {
        this.#skippedBytes += bytes;
      },
      tell: given.tell,
    });
  }

  /** Reads one stream of output, after it was passed on; each stream has its own lines. */
  addStream(name: OutputName): OutputStream {
    return this.#reading.addStream(name);
  }

  /** Resolves when all output that has come so far was read. */
  whenRead(): Promise<void> {
    return this.#reading.whenRead();
  }

  /** Connects to the service in the background. */
  begin(): void {
    if (this.#given.print !== undefined) return;
    this.#sending = this.#start();
  }

  add(text: string): void {
    this.#foundCount += 1;
    if (this.#held !== undefined && this.#held.length < maxHeldErrors) this.#held.push(text);
    else this.#report(text);
  }

  /** The agent has ended with this exit code, which is not 0. Reports why, unless its last lines contain an error. */
  addFailedExit(code: number): void {
    const { options, dialect } = this.#given;
    const { lastLines } = this.#reading;
    // A pattern might need very long for one of the lines.
    const isReported =
      options.pattern === undefined
        ? containsError(lastLines, lineFormats(options.level, dialect))
        : this.#foundCount > 0;
    if (!isReported) this.add(describeFailedExit(code, lastLines));
  }

  /**
   * The agent has been told to read its configuration again. Errors wait until muster report has read it too, so that they
   * are filed under the right one. If it has changed, errors that were reported before are reported again.
   */
  reload(): void {
    if (this.#given.print !== undefined) return;
    this.#held ??= [];
    this.#reloads += 1;
    void this.#reload().finally(() => {
      this.#reloads -= 1;
      if (this.#reloads === 0) this.#releaseHeld();
    });
  }

  async #reload(): Promise<void> {
    const sending = await this.#sending;
    const isChanged = await sending?.reload();
    if (isChanged === true) this.#filter.forget();
  }

  #releaseHeld(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.#report(text);
  }

  #report(text: string): void {
    if (!this.#filter.passes(text)) return;
    if (this.#given.print !== undefined) this.#given.print(text);
    else if (this.#started === undefined) this.#early?.push(text);
    else this.#started.add(text);
    if (this.#early !== undefined && this.#early.length > maxHeldErrors) {
      this.#early.shift();
      this.#outbox.countDropped(1);
    }
  }

  /** The output has ended. Resolves when all of it was read, no later than after this time. */
  async endOfOutput(milliseconds: number): Promise<void> {
    await Promise.race([this.#reading.end(), wait(Math.max(milliseconds, minReadMilliseconds))]);
  }

  /**
   * Sends the remaining errors and how the agent ended within this time, or keeps the errors for the next run. Prints what
   * was lost.
   */
  async finish(milliseconds: number, goodbye: Goodbye): Promise<void> {
    clearTimeout(this.#registration);
    this.#releaseHeld();
    this.#ending.abort();
    const deadline = performance.now() + milliseconds;
    const sending = await this.#whenStarted(Math.max(milliseconds, maxStartMilliseconds));
    if (sending === undefined) {
      this.#tellLosses(this.#early?.length ?? 0, undefined);
      return;
    }
    this.#giveUp = () => sending.giveUp();
    await sending.finish(Math.max(0, deadline - performance.now()), goodbye);
    this.#tellLosses(this.#outbox.pending.length, sending.keptIn);
  }

  /** Ends a `finish` that is waiting. */
  giveUp(): void {
    this.#giveUp();
  }

  /** Undefined when nothing can be sent, or when this is not known in time. */
  async #whenStarted(milliseconds: number): Promise<Sending | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const isOver = new Promise<undefined>((resolve) => {
      this.#giveUp = () => resolve(undefined);
      timer = setTimeout(() => resolve(undefined), milliseconds);
    });
    const sending = await Promise.race([this.#sending, isOver]);
    clearTimeout(timer);
    return sending;
  }

  async #start(): Promise<Sending | undefined> {
    const { options, type, configFiles, tell } = this.#given;
    try {
      // Loaded only now, when the agent runs.
      const { startSending } = await import('./start-sending.ts');
      const sending = await startSending({
        options,
        type,
        configFiles,
        outbox: this.#outbox,
        version: () => this.#reading.version,
        ending: this.#ending.signal,
        tell: (message) => this.#tellOnce(message),
        onFailure: (failure, context) => this.#tellOnce(explainFailure(failure, context)),
        onSent: () => this.#reportDrops(),
      });
      for (const text of this.#early ?? []) sending?.add(text);
      if (sending !== undefined) this.#early = undefined;
      this.#started = sending;
      this.#registration = setTimeout(() => sending?.register(), registerAfterMilliseconds);
      return sending;
    } catch (error) {
      tell(`cannot report: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  #tellOnce(message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#given.tell(message);
  }

  /** Reports powers of ten, so that the text is equal each time. */
  #reportDrops(): void {
    const dropped = powerOfTen(this.#outbox.droppedCount);
    if (dropped > this.#reportedDrops) {
      this.#reportedDrops = dropped;
      this.add(
        `[muster report] ${dropped} or more errors were dropped: more came than could be read, kept or sent.`,
      );
    }
    const skipped = powerOfTen(Math.floor(this.#skippedBytes / 1_048_576));
    if (skipped > this.#reportedSkips) {
      this.#reportedSkips = skipped;
      this.add(`[muster report] ${skipped} MiB or more of output were not read: the agent wrote faster.`);
    }
  }

  #tellLosses(pendingCount: number, keptIn: string | undefined): void {
    const dropped = this.#outbox.droppedCount;
    if (pendingCount > 0 && keptIn !== undefined) {
      this.#given.tell(`${count(pendingCount)} not sent yet; kept in ${keptIn} for the next run.`);
    } else if (pendingCount > 0) {
      this.#given.tell(`${count(pendingCount)} not sent, and could not be kept.`);
    }
    if (dropped > 0) {
      this.#given.tell(`${count(dropped)} dropped: more came than could be read, kept or sent.`);
    }
    if (this.#skippedBytes > 0) {
      const mebibytes = (this.#skippedBytes / 1_048_576).toFixed(1);
      this.#given.tell(`${mebibytes} MiB of output were not read: the agent wrote faster.`);
    }
  }
}

/** The largest power of ten that is not larger; 0 for 0. */
function powerOfTen(count: number): number {
  return count < 1 ? 0 : 10 ** Math.floor(Math.log10(count));
}

/** Reading the rest of the output takes less than a second; a busy machine may need longer. */
const minReadMilliseconds = 5_000;

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}

/** The preparations before errors can be sent or kept take a moment; this limit is for a disk that hangs. */
const maxStartMilliseconds = 15_000;

/** Limit on errors that wait for the service or the configuration to be known. */
const maxHeldErrors = 500;

function count(errors: number): string {
  return errors === 1 ? '1 error was' : `${errors} errors were`;
}
