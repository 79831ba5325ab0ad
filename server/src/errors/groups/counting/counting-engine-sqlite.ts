import type { SqliteDatabase } from '../../../foundation/database/database.ts';
import type { FoldedPortion, FoldRequest } from '../../../foundation/folded-portion.ts';
import type { Counting, CountingEngine, CountingTurns } from './counting-engine.ts';
import type { GroupingPortion, GroupingRequest } from './grouping.ts';

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

  async fold(request: FoldRequest): Promise<FoldedPortion> {
    const folded = (await this.#database.sqlite.call('foldErrorChanges', request)) as FoldedPortion; // what the procedure answers
    this.#isNoteWaiting = folded.noted.isWaiting;
    return folded;
  }

  async group(request: GroupingRequest): Promise<GroupingPortion> {
    return (await this.#database.sqlite.call('groupErrors', request)) as GroupingPortion; // what the procedure answers
  }

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
  #foldedTurns = -1;

  constructor(counting: Counting, writer: Writer) {
    this.#counting = counting;
    this.#writer = writer;
  }

  async countDue(): Promise<void> {
    try {
      await this.#countDue();
    } catch (error) {
      this.#foldedTurns = -1;
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
      if (writeTurns === this.#foldedTurns && !this.#writer.isNoteWaiting()) {
        partition.noteCountedAt(clock());
        return;
      }
      // The next portion gets the next number.
      this.#foldedTurns = writeTurns + 1;
    } else {
      // A turn without counting has not seen the changes so far.
      this.#foldedTurns = -1;
    }
    let changes = 0;
    for (;;) {
      const portion = await partition.foldPortion(false, counts);
      if (portion === undefined || closing.aborted) return;
      changes += portion.changes;
      if (portion.isDrained) break;
    }
    if (counts) partition.pace.noteCounted(changes);
  }
}
