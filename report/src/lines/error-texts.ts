import { redactText } from '@muster/redaction';
import { cleanText } from './clean-text.ts';
import { cutText } from './cut-text.ts';
import { ErrorReader } from './error-reader.ts';
import { LineSplitter } from './line-splitter.ts';
import { NumberMasker } from './number-masker.ts';

/** An error that is begun is whole when nothing has come for so long. */
const quietMilliseconds = 100;
const maxRemembered = 256;
/** Errors that are no repeat, cleaned per second at most: an agent that writes faster is not slowed by it. */
const maxCleanedPerSecond = 1_000;

export interface ErrorTextsOptions {
  readonly pattern?: RegExp | undefined;
  /** Milliseconds. */
  readonly now: () => number;
  /** Called with each error as it is to be reported, repeats included. */
  readonly onText: (text: string) => void;
  /** Called for each error that came too fast to be looked at. */
  readonly onPassedOver: () => void;
}

/** From the output of an agent, in pieces as it comes, to the texts that are reported. One for each stream. */
export class ErrorTexts {
  readonly #options: ErrorTextsOptions;
  readonly #reader: ErrorReader;
  readonly #splitter: LineSplitter;
  readonly #masker = new NumberMasker({ maxVariants: 10 });
  readonly #remembered = new Map<string, string>();
  #second = 0;
  #cleanedInSecond = 0;
  #quiet: NodeJS.Timeout | undefined;

  constructor(options: ErrorTextsOptions) {
    this.#options = options;
    const { pattern } = options;
    this.#reader = new ErrorReader({ pattern, onError: (text) => this.#report(text) });
    this.#splitter = new LineSplitter({
      consumer: this.#reader,
      wantsEveryLine: () => pattern !== undefined,
    });
  }

  push(chunk: Buffer): void {
    this.#splitter.push(chunk);
    clearTimeout(this.#quiet);
    if (this.#reader.isOpen) this.#quiet = setTimeout(() => this.#reader.flush(), quietMilliseconds);
  }

  end(): void {
    clearTimeout(this.#quiet);
    this.#splitter.end();
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
      this.#options.onPassedOver();
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
