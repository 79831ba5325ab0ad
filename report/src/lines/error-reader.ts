import { beginsRecord, type Joins, readErrorLine, readFluentdFrame, withoutTransport } from './error-line.ts';

const maxLines = 64;
const maxCharacters = 8_192;

export interface LineConsumer {
  /** True while further lines may belong to an error that was begun: then it wants every line. */
  readonly isOpen: boolean;
  read(line: string): void;
  /** Nothing follows for now: what was begun is whole. */
  flush(): void;
}

export interface ErrorReaderOptions {
  /** Instead of the formats that are known: a line that it matches is an error; its first group, if any, the text. */
  readonly pattern?: RegExp | undefined;
  /** Called with each error, neither redacted nor cleaned. At most 8,192 characters. */
  readonly onError: (text: string) => void;
}

/** Turns lines into errors: recognises the first line of one and joins to it what belongs to it. */
export class ErrorReader implements LineConsumer {
  readonly #options: ErrorReaderOptions;
  #lines: string[] = [];
  #length = 0;
  #joins: Joins = 'nothing';

  constructor(options: ErrorReaderOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#lines.length > 0;
  }

  read(given: string): void {
    const line = withoutTransport(given);
    if (this.isOpen && this.#join(line)) return;
    this.flush();
    const found = this.#readFirst(line);
    if (found === undefined) return;
    this.#joins = found.joins;
    this.#add(found.text);
    if (found.joins === 'nothing') this.flush();
  }

  flush(): void {
    if (!this.isOpen) return;
    const text = this.#lines.join('\n').trimEnd();
    this.#lines = [];
    this.#length = 0;
    this.#options.onError(text.slice(0, maxCharacters));
  }

  #readFirst(line: string): { text: string; joins: Joins } | undefined {
    const { pattern } = this.#options;
    if (pattern === undefined) return readErrorLine(line);
    const match = pattern.exec(line.slice(0, maxCharacters));
    const text = (match?.[1] ?? match?.input)?.trim();
    return text === undefined || text === '' ? undefined : { text, joins: 'stack' };
  }

  #join(line: string): boolean {
    if (this.#lines.length >= maxLines || this.#length >= maxCharacters) return false;
    const frame = readFluentdFrame(line);
    if (frame === undefined && !this.#continues(line)) return false;
    this.#add(frame === undefined ? line.trimEnd() : `  ${frame}`);
    return true;
  }

  #continues(line: string): boolean {
    if (this.#joins === 'anything') return !beginsRecord(line);
    return this.#joins === 'stack' && continuation.test(line);
  }

  #add(line: string): void {
    this.#lines.push(line);
    this.#length += line.length + 1;
  }
}

/** Indented, or a frame or heading of a stack trace of Go, Java, Rust, Ruby, Python or glibc. */
const continuation =
  /^(?:\s+\S|Caused by: |Suppressed: |goroutine \d+ \[|created by |stack backtrace:|note: run with|\.\.\. \d+ more|#\d+ {1,2}(?:0x)?[\da-f]|[\w./*()[\]-]{2,200}\.[\w.*()[\]{}-]{1,200}\((?:\.\.\.|0x|[\w, .{}]*\)$)|go\.\S+\.\(?[\w*]+\)?\S*$)/;
