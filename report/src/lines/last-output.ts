const maxBytes = 8_192;

/** Keeps the end of a stream of output: when the agent fails, it says why. */
export class LastOutput {
  #bytes: Buffer = Buffer.alloc(0);
  #isCut = false;

  push(chunk: Buffer): void {
    const bytes = chunk.length >= maxBytes ? chunk : Buffer.concat([this.#bytes, chunk]);
    this.#isCut ||= bytes.length > maxBytes || bytes === chunk;
    // A copy, so that the chunk can be let go.
    this.#bytes = Buffer.from(bytes.subarray(-maxBytes));
  }

  /** Complete lines, without blank ones. */
  get lines(): string[] {
    const lines = this.#bytes.toString('utf8').split('\n');
    return lines.slice(this.#isCut ? 1 : 0).filter((line) => line.trim() !== '');
  }
}
