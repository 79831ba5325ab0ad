import { redactText } from '@muster/redaction';
import type { OutputReader } from './backlog.ts';
import { cleanText } from './clean-text.ts';
import { cutText } from './cut-text.ts';
import { lineFormats, type ReportLevel } from './error-line.ts';
import { ErrorReader } from './error-reader.ts';
import { LineSplitter } from './line-splitter.ts';
import { NumberMasker } from './number-masker.ts';

const maxRemembered = 256;
/** Errors that are no repeat, cleaned per second. */
const maxCleanedPerSecond = 1_000;

export interface ErrorTextsOptions {
  readonly level: ReportLevel;
  /** The name of the agent's program or its type: some agents print errors in a form of their own. */
  readonly dialect?: string | undefined;
  readonly pattern?: RegExp | undefined;
  /** Called with all output, as it is read. */
  readonly onChunk?: (chunk: Buffer) => void;
  /** Milliseconds. */
  readonly now: () => number;
  /** Called with each error as it is to be reported, repeats included. */
  readonly onText: (text: string) => void;
  /** Called for each error that is dropped because too many come in one second. */
  readonly onDropped: () => void;
}

/**
 * Turns the output of an agent into the texts that are reported. One for each stream. `read` only finds errors; each
 * `step` redacts and cleans one of them, so that the caller can do other things in between.
 */
export class ErrorTexts implements OutputReader {
  readonly #options: ErrorTextsOptions;
  readonly #reader: ErrorReader;
  readonly #splitter: LineSplitter;
  readonly #masker = new NumberMasker({ maxVariants: 10 });
  readonly #remembered = new Map<string, string>();
  /** Errors that `read` has found, and the index of the next one to clean: a piece of output may contain thousands. */
  #found: string[] = [];
  #next = 0;
  #second = 0;
  #cleanedInSecond = 0;
  #quiet: NodeJS.Timeout | undefined;
  #joinedLines = 0;
  #wholeAt = 0;

  constructor(options: ErrorTextsOptions) {
    this.#options = options;
    const { level, dialect, pattern } = options;
    const formats = lineFormats(level, dialect);
    this.#reader = new ErrorReader({ formats, pattern, onError: (text) => this.#found.push(text) });
    this.#splitter = new LineSplitter({
      consumer: this.#reader,
      errorWord: pattern === undefined ? formats.errorWord : undefined,
    });
  }

  read(chunk: Buffer): void {
    this.#options.onChunk?.(chunk);
    this.#splitter.push(chunk);
  }

  step(): boolean {
    const error = this.#found[this.#next];
    if (error === undefined) {
      this.#found = [];
      this.#next = 0;
      return this.#splitter.resume();
    }
    this.#next += 1;
    this.#report(error);
    return true;
  }

  skip(): void {
    this.#splitter.skip();
  }

  hold(): void {
    clearTimeout(this.#quiet);
  }

  settle(): void {
    const { isOpen, joinedLines, maxQuietMilliseconds } = this.#reader;
    if (!isOpen) return;
    const now = this.#options.now();
    // Only lines that belong to the open error keep it open.
    if (joinedLines !== this.#joinedLines) this.#wholeAt = now + maxQuietMilliseconds;
    this.#joinedLines = joinedLines;
    if (now >= this.#wholeAt) this.#flush();
    else this.#quiet = setTimeout(() => this.#flush(), this.#wholeAt - now);
  }

  end(): void {
    clearTimeout(this.#quiet);
    this.#splitter.end();
  }

  /** Finds no more errors. */
  stop(): void {
    this.#reader.stop();
  }

  #flush(): void {
    this.#reader.flush();
    while (this.step());
  }

  #report(error: string): void {
    const known = this.#remembered.get(error);
    if (known !== undefined) {
      this.#options.onText(known);
    } else if (this.#takeTurn()) {
      const text = this.#toText(error);
      if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
      this.#remembered.set(error, text);
      if (text !== '') this.#options.onText(text);
    } else {
      this.#options.onDropped();
    }
  }

  #toText(error: string): string {
    return cutText(this.#masker.mask(cleanText(redactText(error))));
  }

  #takeTurn(): boolean {
    const second = Math.floor(this.#options.now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#cleanedInSecond = 0;
    }
    this.#cleanedInSecond += 1;
    return this.#cleanedInSecond <= maxCleanedPerSecond;
  }
}
