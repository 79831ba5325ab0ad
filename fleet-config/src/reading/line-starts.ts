import type { Place } from '../finding.ts';

/** Finds the line of an offset in a text. Offsets are asked for in rising order, mostly. */
export class LineStarts {
  readonly #starts: readonly number[];
  #last = 0;

  constructor(text: string) {
    const starts = [0];
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
    this.#starts = starts;
  }

  placeOf(offset: number): Place {
    let line = offset >= (this.#starts[this.#last] ?? 0) ? this.#last : 0;
    while (line + 1 < this.#starts.length && (this.#starts[line + 1] ?? 0) <= offset) line += 1;
    this.#last = line;
    return { line: line + 1, column: offset - (this.#starts[line] ?? 0) + 1 };
  }
}
