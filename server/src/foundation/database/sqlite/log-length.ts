import { closeSync, openSync, readSync } from 'node:fs';

const headerBytes = 32;
const frameHeaderBytes = 24;
/** Salt in the header of the log and of each frame. It changes when the log restarts. */
const saltBytes = 8;

/**
 * Counts the valid frames (pages) of the write-ahead log. The size of the file is not enough, because a restarted log overwrites the old one. Format:
 * https://www.sqlite.org/fileformat2.html#walformat
 */
export class LogLength {
  readonly #log: number;
  readonly #header = Buffer.alloc(headerBytes);
  readonly #salts = Buffer.alloc(saltBytes);
  readonly #frameSalts = Buffer.alloc(saltBytes);
  #frameBytes = 0;
  #frames = 0;

  constructor(file: string) {
    this.#log = openSync(file, 'r');
  }

  /** The count at the last commit, with or without a transaction under way. */
  read(): number {
    if (readSync(this.#log, this.#header, 0, headerBytes, 0) < headerBytes) return 0;
    if (!this.#header.subarray(16, 16 + saltBytes).equals(this.#salts)) {
      this.#header.copy(this.#salts, 0, 16, 16 + saltBytes);
      this.#frameBytes = this.#header.readUInt32BE(8) + frameHeaderBytes;
      this.#frames = 0;
    }
    let [known, step] = [this.#frames, 1];
    for (; this.#counts(known + step); step *= 2) known += step;
    // The first invalid frame is between `known` and `known + step`.
    for (step = Math.floor(step / 2); step >= 1; step = Math.floor(step / 2)) {
      if (this.#counts(known + step)) known += step;
    }
    this.#frames = known;
    return known;
  }

  /** The size of the header and the valid frames. */
  readBytes(): number {
    const frames = this.read();
    return frames === 0 ? 0 : headerBytes + frames * this.#frameBytes;
  }

  close(): void {
    closeSync(this.#log);
  }

  /** @param frame counted from 1. */
  #counts(frame: number): boolean {
    const position = headerBytes + (frame - 1) * this.#frameBytes + 8;
    const read = readSync(this.#log, this.#frameSalts, 0, saltBytes, position);
    return read === saltBytes && this.#frameSalts.equals(this.#salts);
  }
}
