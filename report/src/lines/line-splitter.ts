import { errorWord } from './error-line.ts';
import type { LineConsumer } from './error-reader.ts';

/** Of a longer line, only this much is looked at. */
const maxLineBytes = 8_192;
const newline = 0x0a;
const noBytes = Buffer.alloc(0);

export interface LineSplitterOptions {
  readonly consumer: LineConsumer;
  /** True: every line is read, and none passed over for having no word of an error in it. */
  readonly wantsEveryLine: () => boolean;
}

/**
 * Cuts output into lines, and hands on those that may matter. Keeps no more than 8 KiB of what has no line break yet,
 * whatever comes. Fast for what is no error: it is searched for a few words and never cut up or decoded.
 */
export class LineSplitter {
  readonly #options: LineSplitterOptions;
  /** Remembers where it has searched to, so each splitter has its own. */
  readonly #errorWord = new RegExp(errorWord);
  /** The beginning of a line whose end has not come. */
  #begun: Buffer = noBytes;

  constructor(options: LineSplitterOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    const { consumer, wantsEveryLine } = this.#options;
    let position = this.#finishBegun(chunk);
    if (position >= chunk.length) return;
    const last = chunk.lastIndexOf(newline);
    // One character for each byte: positions in it are positions in the chunk.
    const text = chunk.toString('latin1', 0, last + 1);
    while (position <= last) {
      if (!consumer.isOpen && !wantsEveryLine()) {
        const found = this.#findErrorWord(text, position);
        if (found === undefined) break;
        position = Math.max(position, text.lastIndexOf('\n', found) + 1);
      }
      const end = text.indexOf('\n', position);
      consumer.read(decode(chunk, position, end));
      position = end + 1;
    }
    this.#begin(chunk.subarray(Math.max(last + 1, 0)));
  }

  /** The output has ended, maybe within a line. */
  end(): void {
    if (this.#begun.length > 0) this.#options.consumer.read(decode(this.#begun, 0, this.#begun.length));
    this.#begun = noBytes;
    this.#options.consumer.flush();
  }

  #findErrorWord(text: string, position: number): number | undefined {
    this.#errorWord.lastIndex = position;
    return this.#errorWord.exec(text)?.index;
  }

  /** Answers where the chunk's own first line starts; its length where the line that was begun has not ended. */
  #finishBegun(chunk: Buffer): number {
    if (this.#begun.length === 0) return 0;
    const end = chunk.indexOf(newline);
    this.#begin(Buffer.concat([this.#begun, chunk.subarray(0, end < 0 ? chunk.length : end)]));
    if (end < 0) return chunk.length;
    this.#options.consumer.read(decode(this.#begun, 0, this.#begun.length));
    this.#begun = noBytes;
    return end + 1;
  }

  #begin(bytes: Buffer): void {
    // A copy, so that the chunk it is part of can be let go.
    this.#begun = bytes.length === 0 ? noBytes : Buffer.from(bytes.subarray(0, maxLineBytes));
  }
}

function decode(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, Math.min(end, start + maxLineBytes));
}
