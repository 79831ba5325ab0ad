/** Every name of a secret contains one of these, or an escape, which may hide any letter. Matches the empty text before it. */
const stem =
  /(?=pa(?:ss|t(?![a-z]))|pw|psk|pin(?![a-z])|jwt|secret|token|cred|auth|bearer|key|cookie|hook|sig|communit|honeycomb|otp|\\[uUx][0-9a-f]{2})/gi;

/** Finds the places in a text where the name of a secret may be, so that the rest is skipped. */
export class StemFinder {
  readonly #text: string;
  #from = 0;
  #found = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** The first place at or after a position, or the end of the text. Positions must not decrease between calls. */
  next(position: number): number {
    if (position < this.#from || position > this.#found) {
      stem.lastIndex = position;
      this.#from = position;
      this.#found = stem.test(this.#text) ? stem.lastIndex : this.#text.length;
    }
    return this.#found;
  }
}
