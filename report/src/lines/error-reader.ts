import { isConsequenceOf } from '@muster/faults/consequences';
import {
  beginsRecord,
  isStamped,
  type Joins,
  type LineFormats,
  readFluentdFrame,
  withoutTransport,
} from './error-line.ts';

const maxLines = 64;
const maxCharacters = 8_192;
const maxQuietMilliseconds = 100;
/** Fluent Bit prints the stack of a crash some hundred milliseconds after it has said that it crashes. */
const maxQuietMillisecondsOfCrash = 2_000;
/** Records of other levels that may come between an error and its consequences. */
const maxRecordsBetween = 8;

export interface LineConsumer {
  /** True while further lines may belong to an error that was begun: then it wants every line. */
  readonly isOpen: boolean;
  read(line: string): void;
  /** No more lines follow: what was begun is whole. */
  flush(): void;
}

export interface ErrorReaderOptions {
  readonly formats: LineFormats;
  /** Instead of the formats that are known: a line that it matches is an error; its first group, if any, the text. */
  readonly pattern?: RegExp | undefined;
  /** Called with each error, neither redacted nor cleaned. At most 8,192 characters. */
  readonly onError: (text: string) => void;
}

/** An error whose first line has been read, and which further lines may belong to. */
interface OpenError {
  joins: Joins;
  readonly isCrash: boolean;
  readonly lines: string[];
  length: number;
  /** The first line of the error, or of its last consequence. */
  lastError: string;
  /** Records that have come since. After one of them, only consequences are joined. */
  recordsSince: number;
}

/**
 * Turns lines into errors: recognises the first line of one, and joins to it the lines that belong to it and the errors that are
 * only its consequences.
 */
export class ErrorReader implements LineConsumer {
  readonly #options: ErrorReaderOptions;
  /** Lines without a match are no errors. Has no flag `g`, so it stores no position. */
  readonly #errorWord: RegExp;
  #open: OpenError | undefined;
  #joinedLines = 0;
  #isStopped = false;

  constructor(options: ErrorReaderOptions) {
    this.#options = options;
    this.#errorWord = new RegExp(options.formats.errorWord.source, 'i');
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** How many lines were the first of an error or joined to one, so far. */
  get joinedLines(): number {
    return this.#joinedLines;
  }

  /** The open error is whole when no line has been joined to it for this long. */
  get maxQuietMilliseconds(): number {
    return this.#open?.isCrash ? maxQuietMillisecondsOfCrash : maxQuietMilliseconds;
  }

  read(given: string): void {
    if (this.#isStopped) return;
    const line = withoutTransport(given);
    const open = this.#open;
    if (open !== undefined && join(open, line)) {
      this.#joinedLines += 1;
      return;
    }
    const found = this.#readFirst(line);
    if (open?.isCrash && !found?.isCrash && hasRoom(open) && beginsRecord(line)) {
      // A line of another thread: the stack of the crash may still come.
      if (found !== undefined) this.#options.onError(found.text.slice(0, maxCharacters));
      return;
    }
    if (open !== undefined && this.#staysOpen(open, line, found)) return;
    this.flush();
    if (found === undefined) return;
    const { text, joins, isCrash } = found;
    this.#open = { joins, isCrash, lines: [], length: 0, lastError: text, recordsSince: 0 };
    add(this.#open, text);
    this.#joinedLines += 1;
  }

  /** Joins a consequence of the open error. A record of another level may come before it. */
  #staysOpen(open: OpenError, line: string, found: FirstLine | undefined): boolean {
    if (found === undefined) {
      open.recordsSince += 1;
      return open.recordsSince <= maxRecordsBetween && beginsRecord(line);
    }
    if (!hasRoom(open) || found.text === open.lastError || !isConsequenceOf(found.text, open.lastError)) {
      return false;
    }
    add(open, found.text);
    open.joins = found.joins;
    open.lastError = found.text;
    open.recordsSince = 0;
    this.#joinedLines += 1;
    return true;
  }

  flush(): void {
    if (this.#open === undefined) return;
    const text = this.#open.lines.join('\n').trimEnd();
    this.#open = undefined;
    this.#options.onError(text.slice(0, maxCharacters));
  }

  /** Finds no more errors. */
  stop(): void {
    this.#isStopped = true;
  }

  #readFirst(line: string): FirstLine | undefined {
    const { formats, pattern } = this.#options;
    if (pattern === undefined) return this.#errorWord.test(line) ? formats.read(line) : undefined;
    const match = pattern.exec(line.slice(0, maxCharacters));
    const text = (match?.[1] ?? match?.input)?.trim();
    return text === undefined || text === '' ? undefined : { text, joins: 'stack', isCrash: false };
  }
}

interface FirstLine {
  readonly text: string;
  readonly joins: Joins;
  readonly isCrash: boolean;
}

/** False when the line does not belong to the error, or the error has no room for it. */
function join(open: OpenError, line: string): boolean {
  if (!hasRoom(open) || open.recordsSince > 0) return false;
  const frame = readFluentdFrame(line);
  if (frame === undefined && !continues(open.joins, line)) return false;
  add(open, frame === undefined ? line.trimEnd() : `  ${frame}`);
  return true;
}

function continues(joins: Joins, line: string): boolean {
  switch (joins) {
    case 'anything':
      return !beginsRecord(line);
    case 'body':
      return !isStamped(line);
    case 'stack':
      return continuation.test(line);
  }
}

function hasRoom({ lines, length }: OpenError): boolean {
  return lines.length < maxLines && length < maxCharacters;
}

function add(open: OpenError, line: string): void {
  open.lines.push(line);
  open.length += line.length + 1;
}

/** Indented, or a frame or heading of a stack trace of Go, Java, Rust, Ruby, Python or glibc. */
const continuation =
  /^(?:\s+\S|Caused by: |Suppressed: |goroutine \d+ \[|created by |stack backtrace:|note: run with|\.\.\. \d+ more|#\d+ {1,2}(?:0x)?[\da-f]|[\w./-]{2,200}\.\(\*[\w[\].]{1,200}\)\.[\w.]{1,200}$|[\w./*()[\]-]{2,200}\.[\w.*()[\]{}-]{1,200}\((?:\.\.\.|0x|[\w, .{}]*\)$)|go\.[^\s.]+\.\S+$)/;
