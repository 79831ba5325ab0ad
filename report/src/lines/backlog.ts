import type { TimeLimit } from './time-limit.ts';

/** A turn of reading ends after this time, so that new output is passed on. */
const maxTurnMilliseconds = 5;

/** Reads one stream of output in small steps. Called by Backlog. */
export interface OutputReader {
  /** Takes the next piece of output, and leaves the expensive part to `step`. */
  read(chunk: Buffer): void;
  /** Does a part of the remaining work, also after a time limit has ended `read`. False: there is none. */
  step(): boolean;
  /** No more output comes. */
  end(): void;
  /** A part of the output is missing here. */
  skip(): void;
  /** More output of this stream waits to be read. */
  hold(): void;
  /** All output so far was read. */
  settle(): void;
}

export interface BacklogOptions {
  /** Limit on output that waits to be read. Output above it is skipped. */
  readonly maxBytes: number;
  /** Milliseconds. */
  readonly now: () => number;
  /** Runs a turn later, after new output was passed on. */
  readonly defer: (turn: () => void) => void;
  /** Called with the length of output that is skipped. */
  readonly onSkipped: (bytes: number) => void;
  /** Ends a step that takes too long; for readers that run a regular expression of a user. */
  readonly timeLimit?: TimeLimit | undefined;
}

interface Waiting {
  readonly reader: OutputReader;
  /** `missing`: output was skipped here. `end`: nothing more comes. */
  readonly chunk: Buffer | 'missing' | 'end';
}

/**
 * Holds output that was passed on and waits to be read. It is read in short turns, and the event loop passes on new output
 * between two turns. So no line, whatever it contains, stalls the output of the agent.
 */
export class Backlog {
  readonly #options: BacklogOptions;
  #waiting: Waiting[] = [];
  /** Index of the next one: taking the first entry off a long array is slow. */
  #next = 0;
  #bytes = 0;
  #current: OutputReader | undefined;
  #isScheduled = false;
  /** How many pieces of output wait to be read, or are being read, by reader. */
  readonly #pieces = new Map<OutputReader, number>();
  #onEmpty: (() => void)[] = [];

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** Bytes that wait to be read. */
  get bytes(): number {
    return this.#bytes;
  }

  push(reader: OutputReader, chunk: Buffer): void {
    const { maxBytes, onSkipped } = this.#options;
    reader.hold();
    if (this.#bytes + chunk.length <= maxBytes) {
      this.#bytes += chunk.length;
      this.#add({ reader, chunk });
      return;
    }
    onSkipped(chunk.length);
    const last = this.#waiting.at(-1);
    if (last?.reader !== reader || last.chunk !== 'missing') this.#add({ reader, chunk: 'missing' });
  }

  /** No more output of this stream comes. */
  end(reader: OutputReader): void {
    this.#add({ reader, chunk: 'end' });
  }

  /** Resolves when all output so far was read. */
  async whenEmpty(): Promise<void> {
    if (!this.#isScheduled) return;
    await new Promise<void>((resolve) => {
      this.#onEmpty.push(resolve);
    });
  }

  #add(piece: Waiting): void {
    this.#waiting.push(piece);
    this.#pieces.set(piece.reader, (this.#pieces.get(piece.reader) ?? 0) + 1);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.defer(() => this.#turn());
  }

  #turn(): void {
    const { now, timeLimit } = this.#options;
    const end = now() + maxTurnMilliseconds;
    this.#isScheduled = false;
    do {
      const hasWorked = timeLimit === undefined ? this.#step() : timeLimit.run(() => this.#step());
      if (!hasWorked) {
        this.#tellEmpty();
        return;
      }
    } while (now() < end);
    this.#schedule();
  }

  /** False when nothing is left to do. */
  #step(): boolean {
    if (this.#current?.step()) return true;
    if (this.#current !== undefined) this.#finishPiece(this.#current);
    const next = this.#takeNext();
    this.#current = next?.reader;
    if (next === undefined) return false;
    const { reader, chunk } = next;
    if (chunk === 'missing') reader.skip();
    else if (chunk === 'end') reader.end();
    else {
      this.#bytes -= chunk.length;
      reader.read(chunk);
    }
    return true;
  }

  #finishPiece(reader: OutputReader): void {
    this.#current = undefined;
    const left = (this.#pieces.get(reader) ?? 1) - 1;
    this.#pieces.set(reader, left);
    // Also while other streams still have much to read.
    if (left === 0) reader.settle();
  }

  #takeNext(): Waiting | undefined {
    const next = this.#waiting[this.#next];
    this.#next += 1;
    if (next !== undefined && this.#next < maxTaken) return next;
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
    return next;
  }

  #tellEmpty(): void {
    const waiting = this.#onEmpty;
    this.#onEmpty = [];
    for (const resolve of waiting) resolve();
  }
}

/** Entries that were taken are removed in groups of this size. */
const maxTaken = 1_024;
