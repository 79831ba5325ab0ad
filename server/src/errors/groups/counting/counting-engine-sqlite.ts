import type { CountedPortion, CountRequest } from '../../../foundation/counted-portion.ts';
import type { SqliteDatabase } from '../../../foundation/database/database.ts';
import type { GroupingPortion, GroupingRequest } from '../identity/grouping.ts';
import type { Counting, CountingEngine, CountingTurns } from './counting-engine.ts';

/** Reports wait for a portion, about 20 ms. */
const usualMaxChanges = 10_000;

/** Counts on the writer's thread, all projects together. */
export class SqliteCounting implements CountingEngine {
  readonly partitions = 1;
  readonly usualMaxChanges = usualMaxChanges;
  readonly #database: SqliteDatabase;
  #isNoteWaiting = false;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  partitionOf(): number {
    return 0;
  }

  async count(request: CountRequest): Promise<CountedPortion> {
    const counted = (await this.#database.sqlite.call('countErrorChanges', request)) as CountedPortion; // what the procedure answers
    this.#isNoteWaiting = counted.noted.isWaiting;
    return counted;
  }

  readStandby(): never {
    throw new Error('SQLite has no standby');
  }

  async group(request: GroupingRequest): Promise<GroupingPortion> {
    return (await this.#database.sqlite.call('groupErrors', request)) as GroupingPortion; // what the procedure answers
  }

  /** Only one transaction writes at a time. */
  async hold(): Promise<void> {}

  createTurns(counting: Counting): CountingTurns {
    return new SqliteTurns(counting, {
      writeTurns: () => this.#database.sqlite.writeTurns,
      isNoteWaiting: () => this.#isNoteWaiting,
    });
  }
}

interface Writer {
  /** The number of turns to write so far. */
  readonly writeTurns: () => number;
  /** Whether an event is to be written a little later, even if no change comes. */
  readonly isNoteWaiting: () => boolean;
}

class SqliteTurns implements CountingTurns {
  readonly #counting: Counting;
  readonly #writer: Writer;
  /** Turns to write, when changes were last looked for. */
  #countedTurns = -1;

  constructor(counting: Counting, writer: Writer) {
    this.#counting = counting;
    this.#writer = writer;
  }

  async countDue(): Promise<void> {
    try {
      await this.#countDue();
    } catch (error) {
      this.#countedTurns = -1;
      throw error;
    }
  }

  async findWaiting() {
    return this.#counting.partitions;
  }

  /** Turns wait for what they count. */
  async end(): Promise<void> {}

  async #countDue(): Promise<void> {
    const { clock, closing, partitions } = this.#counting;
    const [partition] = partitions;
    const counts = partition.pace.countsInTurn();
    if (counts) {
      const writeTurns = this.#writer.writeTurns();
      // Most of the time, nothing has changed.
      if (writeTurns === this.#countedTurns && !this.#writer.isNoteWaiting()) {
        partition.noteCountedAt(clock());
        return;
      }
      // The next portion gets the next number.
      this.#countedTurns = writeTurns + 1;
    } else {
      // A turn without counting has not seen the changes so far.
      this.#countedTurns = -1;
    }
    let changes = 0;
    for (;;) {
      const portion = await partition.countPortion(false, counts);
      if (portion === undefined || closing.aborted) return;
      changes += portion.changes;
      if (portion.isDrained) break;
    }
    if (counts) partition.pace.noteCounted(changes);
  }
}
