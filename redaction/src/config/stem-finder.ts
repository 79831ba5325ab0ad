/** A name that is not harmless holds one of these, or an escape, behind which any letter may be. Matches the empty text before it. */
const stem =
  /(?=pass|pw|psk|jwt|secret|token|cred|auth|bearer|key|cookie|hook|sig|communit|honeycomb|\\[uUx][0-9a-f]{2})/gi;

/** Finds the places in a text where the name of a secret may be, so that all else is passed over. */
export class StemFinder {
  readonly #text: string;
  #from = 0;
  #found = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** The first place at or after a position; the end of the text when there is none. Ask from left to right. */
  next(position: number): number {
    if (position < this.#from || position > this.#found) {
      stem.lastIndex = position;
      this.#from = position;
      this.#found = stem.test(this.#text) ? stem.lastIndex : this.#text.length;
    }
    return this.#found;
  }
}
