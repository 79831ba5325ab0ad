import { isSpace } from './lines.ts';

/** The value of a YAML key on a line of its own. */
interface ComplexValue {
  /** The position of the `:` before it. */
  readonly separator: number;
  readonly column: number;
}

/** Follows the complex keys of YAML (YAML 1.2.2, section 8.2.2): `? password` on one line, and `: value` on a later one. */
export class ComplexKeys {
  #column: number | undefined;

  /** True after a key that names a secret, until its value or another key. */
  get isOpen(): boolean {
    return this.#column !== undefined;
  }

  /**
   * Call it for each line.
   *
   * @param firstWord the position behind indentation, bullets and comment signs
   * @returns the value, if this line has that of a key that names a secret
   */
  read(
    text: string,
    line: { readonly start: number; readonly firstWord: number; readonly end: number },
    namesSecret: (start: number, end: number) => boolean,
  ): ComplexValue | undefined {
    const { start, firstWord, end } = line;
    const question = text.slice(start, firstWord).lastIndexOf('?');
    if (question >= 0) {
      this.#column = namesSecret(firstWord, end) ? question : undefined;
      return undefined;
    }
    const column = this.#column;
    const isBlankOrComment = firstWord === end || text.slice(start, firstWord).trimStart().startsWith('#');
    if (column === undefined || (isBlankOrComment && text[firstWord] !== ':')) return undefined;
    if (firstWord - start > column) return undefined;
    this.#column = undefined;
    const isValue = firstWord - start === column && text[firstWord] === ':';
    const isAlone = firstWord + 1 === end || isSpace(text.charCodeAt(firstWord + 1));
    return isValue && isAlone ? { separator: firstWord, column } : undefined;
  }
}
