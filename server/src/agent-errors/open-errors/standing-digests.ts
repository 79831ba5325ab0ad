import { hash } from 'node:crypto';

/** Characters of a digest in hexadecimal, and the bytes that they stand for. */
const prefixCharacters = 8;
export const prefixBytes = prefixCharacters / 2;

/**
 * Which texts may stand open for an agent, in four bytes each: one that is not here does not stand. Of ten thousand
 * that are here, another text is taken for one of them once in four hundred thousand times, and then the database says.
 */
export class StandingDigests {
  readonly #prefixes: Uint32Array;

  /** @param hex what the digests begin with, one after the other, in any order. */
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
