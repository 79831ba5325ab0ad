import type { LineConsumer } from './error-reader.ts';

/** Only this much of a longer line is looked at. */
const maxLineBytes = 8_192;
const newline = 0x0a;
const noBytes = Buffer.alloc(0);

export interface LineSplitterOptions {
  readonly consumer: LineConsumer;
  /** Lines without a match are passed over. Absent: every line is read. Has the flag `g`. */
  readonly errorWord: RegExp | undefined;
}

/**
 * Cuts output into lines and hands on those that may matter. Keeps at most 8 KiB of a line whose end has not come. Fast
 * for output without errors: it is searched for a few words, and never cut up or decoded.
 */
export class LineSplitter {
  readonly #consumer: LineConsumer;
  /** The expression stores its position, so each splitter needs its own. */
  readonly #errorWord: RegExp | undefined;
  /** The beginning of a line whose end has not come. */
  #begun: Buffer = noBytes;
  /** What is being cut up, and how far it was. */
  #chunk: Buffer = noBytes;
  #position = 0;
  /** What comes next is the rest of a line whose beginning was not seen. */
  #isWithinLine = false;

  constructor({ consumer, errorWord }: LineSplitterOptions) {
    this.#consumer = consumer;
    this.#errorWord = errorWord && new RegExp(errorWord);
  }

  push(chunk: Buffer): void {
    this.#chunk = this.#skipRest(chunk);
    this.#position = 0;
    this.#finishBegun();
    this.resume();
  }

  /** Continues after the line at which a time limit ended `push`. False when nothing is left to do. */
  resume(): boolean {
    const chunk = this.#chunk;
    if (chunk.length === 0) return false;
    this.#readLines(chunk, chunk.lastIndexOf(newline));
    this.#begin(chunk.subarray(this.#position));
    this.#chunk = noBytes;
    return true;
  }

  /** The output has ended, perhaps within a line. */
  end(): void {
    this.#readBegun();
    this.#consumer.flush();
  }

  /** A part of the output is missing here: what comes next may begin within a line. */
  skip(): void {
    this.#begun = noBytes;
    this.#consumer.flush();
    this.#isWithinLine = true;
  }

  #readLines(chunk: Buffer, last: number): void {
    if (this.#position > last) return;
    // One character for each byte: positions in it are positions in the chunk.
    const text = chunk.toString('latin1', 0, last + 1);
    while (this.#position <= last) {
      let start = this.#position;
      if (!this.#consumer.isOpen && this.#errorWord !== undefined) {
        const found = findFrom(this.#errorWord, text, start);
        if (found === undefined) break;
        start = Math.max(start, text.lastIndexOf('\n', found) + 1);
      }
      const end = text.indexOf('\n', start);
      this.#position = end + 1;
      this.#consumer.read(decode(chunk, start, end));
    }
    this.#position = last + 1;
  }

  #skipRest(chunk: Buffer): Buffer {
    if (!this.#isWithinLine) return chunk;
    const end = chunk.indexOf(newline);
    if (end < 0) return noBytes;
    this.#isWithinLine = false;
    return chunk.subarray(end + 1);
  }

  #finishBegun(): void {
    if (this.#begun.length === 0) return;
    const end = this.#chunk.indexOf(newline);
    const rest = end < 0 ? this.#chunk : this.#chunk.subarray(0, end);
    // What exceeds the limit is cut off, and need not be copied.
    if (this.#begun.length < maxLineBytes) {
      this.#begin(Buffer.concat([this.#begun, rest.subarray(0, maxLineBytes)]));
    }
    this.#position = end < 0 ? this.#chunk.length : end + 1;
    if (end < 0) this.#chunk = noBytes;
    else this.#readBegun();
  }

  #readBegun(): void {
    const begun = this.#begun;
    this.#begun = noBytes;
    if (begun.length > 0) this.#consumer.read(decode(begun, 0, begun.length));
  }

  #begin(bytes: Buffer): void {
    // A copy, so that the chunk it is part of can be let go.
    this.#begun = bytes.length === 0 ? noBytes : Buffer.from(bytes.subarray(0, maxLineBytes));
  }
}

function findFrom(word: RegExp, text: string, position: number): number | undefined {
  word.lastIndex = position;
  return word.exec(text)?.index;
}

function decode(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, Math.min(end, start + maxLineBytes));
}
