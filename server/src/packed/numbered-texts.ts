/** Texts that many records have in common, each with a number that a record can hold in its place. */
export class NumberedTexts {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];

  get size(): number {
    return this.#texts.length;
  }

  /** Undefined for a text that has none. */
  find(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  /** The number of a text, which it gets now if it has none. */
  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#texts.length;
    this.#numbers.set(text, number);
    this.#texts.push(text);
    return number;
  }

  /** @throws RangeError for a number that none has. */
  textOf(number: number): string {
    const text = this.#texts[number];
    if (text === undefined) throw new RangeError(`no text has the number ${number}`);
    return text;
  }

  clear(): void {
    this.#numbers.clear();
    this.#texts.length = 0;
  }
}
