import type { TimeLimit } from './time-limit.ts';

/** A turn ends after this much time, so that output that has come meanwhile is passed on. */
const maxTurnMilliseconds = 5;

/** Reads one stream of output in small steps. */
export interface OutputReader {
  /** Takes the next stretch of output, and leaves the costly part to `step`. */
  read(chunk: Buffer): void;
  /** Does the next piece of what `read` has left, also where `read` was ended by a time limit; false: there is none. */
  step(): boolean;
  /** No more output comes. */
  end(): void;
  /** A part of the output is missing here. */
  skip(): void;
  /** More output of this stream waits to be read. */
  hold(): void;
  /** All output that has come so far was read. */
  settle(): void;
}

export interface BacklogOptions {
  /** Output that waits to be read; what comes beyond it is skipped. */
  readonly maxBytes: number;
  /** Milliseconds. */
  readonly now: () => number;
  /** Runs a turn later, when output that has come was passed on. */
  readonly defer: (turn: () => void) => void;
  /** Called with the length of output that is not read, because reading does not keep up. */
  readonly onSkipped: (bytes: number) => void;
  /** For readers that run a regular expression of a user: ends a step that takes too long. */
  readonly timeLimit?: TimeLimit | undefined;
}

interface Waiting {
  readonly reader: OutputReader;
  /** `missing`: output was skipped here. `end`: nothing more comes. */
  readonly chunk: Buffer | 'missing' | 'end';
}

/**
 * Output that was passed on and waits to be read. Reading happens in short turns, between which the event loop passes
 * on what has come: no line, however it looks, delays the output of the agent.
 */
export class Backlog {
  readonly #options: BacklogOptions;
  #waiting: Waiting[] = [];
  #bytes = 0;
  #current: OutputReader | undefined;
  #isScheduled = false;
  readonly #held = new Set<OutputReader>();
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
    if (this.#bytes + chunk.length > maxBytes) {
      onSkipped(chunk.length);
      const last = this.#waiting.at(-1);
      if (last?.reader !== reader || last.chunk !== 'missing')
        this.#waiting.push({ reader, chunk: 'missing' });
    } else {
      this.#bytes += chunk.length;
      this.#waiting.push({ reader, chunk });
    }
    reader.hold();
    this.#held.add(reader);
    this.#schedule();
  }

  /** No more output of this stream comes. */
  end(reader: OutputReader): void {
    this.#waiting.push({ reader, chunk: 'end' });
    this.#schedule();
  }

  /** Resolves when everything that has come was read. */
  async whenEmpty(): Promise<void> {
    if (!this.#isScheduled) return;
    await new Promise<void>((resolve) => {
      this.#onEmpty.push(resolve);
    });
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
        this.#settle();
        return;
      }
    } while (now() < end);
    this.#schedule();
  }

  /** False where nothing is left to do. */
  #step(): boolean {
    if (this.#current?.step()) return true;
    const next = this.#waiting.shift();
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

  #settle(): void {
    for (const reader of this.#held) reader.settle();
    this.#held.clear();
    const waiting = this.#onEmpty;
    this.#onEmpty = [];
    for (const resolve of waiting) resolve();
  }
}
