import { hash } from 'node:crypto';
import { TwoGenerations } from '../../foundation/two-generations.ts';

/** The first 128 bits of the SHA-256 of a text, in words of 32 bits. Not to be changed. */
export type TextDigest = Uint32Array;

export const digestWords = 4;

/** In a storm, agents have few texts in common. Between one and two times as many are remembered. */
const maxOfGeneration = 256;
/** UTF-16 units. */
const maxLength = 2_000;

/** Digests of texts, which stand for them in memory and in the index of open errors. */
export class TextDigests {
  readonly #known = new TwoGenerations<string, TextDigest>(maxOfGeneration);

  of(text: string): TextDigest {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const digest = digestOf(text);
    if (text.length <= maxLength) this.#known.set(text, digest);
    return digest;
  }
}

export function digestOf(text: string): TextDigest {
  const bytes = hash('sha256', text, 'binary');
  const words = new Uint32Array(digestWords);
  for (let word = 0; word < digestWords; word += 1) {
    const at = word * 4;
    words[word] =
      (bytes.charCodeAt(at) << 24) |
      (bytes.charCodeAt(at + 1) << 16) |
      (bytes.charCodeAt(at + 2) << 8) |
      bytes.charCodeAt(at + 3);
  }
  return words;
}

/** The first 48 bits as a number, as SQLite stores it. */
export function prefixOf([first = 0, second = 0]: TextDigest): number {
  return first * 2 ** 16 + (second >>> 16);
}
