import { hash } from 'node:crypto';
import type { RandomBytes } from '../../secret.ts';
import { TwoGenerations } from '../intake/two-generations.ts';

/** Words of 32 bits of a digest: 128 bits of a SHA-256. */
export const digestWords = 4;

/** In a storm, agents have few texts in common. Between one and two times as many are remembered. */
const maxOfGeneration = 256;
/** UTF-16 units. */
const maxLength = 2_000;
const secretBytes = 32;

/**
 * Digests of texts that stand for them in memory. They begin with a secret of this process, so that nobody can make two
 * texts with the same one, nor texts that a hash table finds slowly.
 */
export class TextDigests {
  readonly #secret: string;
  readonly #known = new TwoGenerations<string, Uint32Array>(maxOfGeneration);

  constructor(randomBytes: RandomBytes) {
    this.#secret = Buffer.from(randomBytes(secretBytes)).toString('base64');
  }

  /** Not to be changed, nor kept. */
  of(text: string): Uint32Array {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const digest = this.#compute(text);
    if (text.length <= maxLength) this.#known.set(text, digest);
    return digest;
  }

  #compute(text: string): Uint32Array {
    const bytes = hash('sha256', this.#secret + text, 'binary');
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
}
