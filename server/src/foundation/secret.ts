import { hash, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';

/** The SHA-256 of a whole token in lower-case hex. Nothing else of the value is stored. */
export type TokenDigest = string & { readonly __brand: 'TokenDigest' };

/** A token's value. Prints as `[secret]` in logs, JSON and errors; only `reveal` returns it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the single answer that contains it. */
  reveal(): string {
    return this.#value;
  }

  digest(): TokenDigest {
    return digestToken(this.#value);
  }

  lastFour(): string {
    return this.#value.slice(-4);
  }

  toJSON(): string {
    return '[secret]';
  }

  toString(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

export function digestToken(value: string): TokenDigest {
  return hash('sha256', value) as TokenDigest; // the only place that creates the type
}

/** Source of random bytes. Tests control it. */
export type RandomBytes = (size: number) => Uint8Array;

export const systemRandomBytes: RandomBytes = randomBytes;
