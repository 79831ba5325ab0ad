import { hash } from 'node:crypto';

/** Length of a digest prefix in hexadecimal characters and in bytes. */
const prefixCharacters = 8;
export const prefixBytes = prefixCharacters / 2;

/**
 * The set of texts that may be open for an agent, in four bytes each. A text that is not in the set is not open. With 10,000 entries, one in 400,000
 * other texts is a false positive, and the database then decides.
 */
export class RepeatableDigests {
  readonly #prefixes: Uint32Array;

  /** @param hex the concatenated digest prefixes in any order. */
  constructor(hex: string) {
    this.#prefixes = new Uint32Array(hex.length / prefixCharacters);
    for (let index = 0; index < this.#prefixes.length; index += 1) {
      this.#prefixes[index] = readPrefix(hex, index * prefixCharacters);
    }
    this.#prefixes.sort();
  }

  get size(): number {
    return this.#prefixes.length;
  }

  mayHave(text: string): boolean {
    const wanted = readPrefix(hash('sha256', text), 0);
    let from = 0;
    let to = this.#prefixes.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#prefixes[middle] ?? 0) < wanted) from = middle + 1;
      else to = middle;
    }
    return this.#prefixes[from] === wanted;
  }
}

function readPrefix(hex: string, start: number): number {
  return Number.parseInt(hex.slice(start, start + prefixCharacters), 16);
}
