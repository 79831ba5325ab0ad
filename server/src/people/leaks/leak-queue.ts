import { Refusal } from '../../foundation/refusal.ts';

interface LeakQueueOptions<Row> {
  /** Stores rows durably, with one statement. */
  readonly insert: (rows: readonly Row[]) => Promise<void>;
}

interface Waiting<Row> {
  readonly rows: readonly Row[];
  resolve(): void;
  reject(error: unknown): void;
}

const maxWaitingRows = 5_000;
const maxRowsPerStatement = 1_000;
const retryAfterSeconds = 1;

/** Stores reports that arrive together with one statement, one after the other, so that a flood of them takes a small part of the database. */
export class LeakQueue<Row> {
  readonly #options: LeakQueueOptions<Row>;
  #waiting: Waiting<Row>[] = [];
  #waitingRows = 0;
  #storing: Promise<void> | undefined;

  constructor(options: LeakQueueOptions<Row>) {
    this.#options = options;
  }

  /** Resolves when the rows are stored. @throws Refusal overloaded (as a rejection) */
  add(rows: readonly Row[]): Promise<void> {
    if (this.#waitingRows + rows.length > maxWaitingRows) {
      return Promise.reject(new Refusal('overloaded', { retryAfterSeconds }));
    }
    const stored = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ rows, resolve, reject });
    });
    this.#waitingRows += rows.length;
    this.#storing ??= this.#storeAll();
    return stored;
  }

  async #storeAll(): Promise<void> {
    // After the other requests of this turn.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const portion = this.#takePortion();
      try {
        await this.#options.insert(portion.flatMap(({ rows }) => rows));
        for (const { resolve } of portion) resolve();
      } catch (error) {
        for (const { reject } of portion) reject(error);
      }
    }
    this.#storing = undefined;
  }

  #takePortion(): Waiting<Row>[] {
    let count = 0;
    const next = this.#waiting.findIndex(({ rows }) => {
      count += rows.length;
      return count > maxRowsPerStatement;
    });
    const portion = this.#waiting.splice(0, next === -1 ? this.#waiting.length : Math.max(1, next));
    for (const { rows } of portion) this.#waitingRows -= rows.length;
    return portion;
  }
}
