import type { PackedTable } from './packed-table.ts';

/** An order of the records of a table, kept in two words of each: the one before it and the one after it. */
export class PackedOrder {
  readonly #table: PackedTable;
  readonly #beforeWord: number;
  readonly #afterWord: number;
  /** One more than the number of a record, here and in the words; 0: none. */
  #first = 0;
  #last = 0;

  /** @param firstWord the first of two words in a row that nothing else writes to */
  constructor(table: PackedTable, firstWord: number) {
    this.#table = table;
    this.#beforeWord = firstWord;
    this.#afterWord = firstWord + 1;
  }

  /** The record that was appended first of those that are there; -1 where there is none. */
  get first(): number {
    return this.#first - 1;
  }

  /** To be called once for a record that was added. */
  append(record: number): void {
    this.#table.setWord(record, this.#beforeWord, this.#last);
    this.#table.setWord(record, this.#afterWord, 0);
    if (this.#last === 0) this.#first = record + 1;
    else this.#table.setWord(this.#last - 1, this.#afterWord, record + 1);
    this.#last = record + 1;
  }

  /** To be called before a record is removed from the table. */
  remove(record: number): void {
    const before = this.#table.word(record, this.#beforeWord);
    const after = this.#table.word(record, this.#afterWord);
    if (before === 0) this.#first = after;
    else this.#table.setWord(before - 1, this.#afterWord, after);
    if (after === 0) this.#last = before;
    else this.#table.setWord(after - 1, this.#beforeWord, before);
  }

  moveToEnd(record: number): void {
    if (this.#last === record + 1) return;
    this.remove(record);
    this.append(record);
  }

  /** To be called when the table is cleared. */
  clear(): void {
    this.#first = 0;
    this.#last = 0;
  }
}
