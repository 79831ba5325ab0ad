/** Texts that many records share. A record stores the number of a text instead of the text. */
export class NumberedTexts {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];

  get size(): number {
    return this.#texts.length;
  }

  /** The number of a text; undefined if it has none. */
  find(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  /** The number of a text, assigned now if it has none. */
  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#texts.length;
    this.#numbers.set(text, number);
    this.#texts.push(text);
    return number;
  }

  /** @throws RangeError if no text has the number. */
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
