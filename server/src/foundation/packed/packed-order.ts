import type { PackedTable } from './packed-table.ts';

/** A linked list of the records of a table, stored in two words of each record: the previous and the next record. */
export class PackedOrder {
  readonly #table: PackedTable;
  readonly #beforeWord: number;
  readonly #afterWord: number;
  /** The number of a record plus one, here and in the words. 0: none. */
  #first = 0;
  #last = 0;

  /** @param firstWord the first of two adjacent words that only this list writes */
  constructor(table: PackedTable, firstWord: number) {
    this.#table = table;
    this.#beforeWord = firstWord;
    this.#afterWord = firstWord + 1;
  }

  /** The oldest record in the list; -1 if the list is empty. */
  get first(): number {
    return this.#first - 1;
  }

  /** Call once for each added record. */
  append(record: number): void {
    this.#table.setWord(record, this.#beforeWord, this.#last);
    this.#table.setWord(record, this.#afterWord, 0);
    if (this.#last === 0) this.#first = record + 1;
    else this.#table.setWord(this.#last - 1, this.#afterWord, record + 1);
    this.#last = record + 1;
  }

  /** Call before a record is removed from the table. */
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

  /** Call when the table is cleared. */
  clear(): void {
    this.#first = 0;
    this.#last = 0;
  }
}
