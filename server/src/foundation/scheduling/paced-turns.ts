import { setTimeout as pause } from 'node:timers/promises';

interface PacedTurnsOptions {
  /** Milliseconds; only differences are used. */
  readonly now?: () => number;
  readonly wait?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Does pieces of work that each keep the event loop busy for up to a tenth of a second: one after the other, with a pause after each
 * that is as long as the work. So other requests get at least half of the time.
 */
export class PacedTurns {
  readonly #now: () => number;
  readonly #wait: (milliseconds: number) => Promise<unknown>;
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor({ now = () => performance.now(), wait = pause }: PacedTurnsOptions = {}) {
    this.#now = now;
    this.#wait = wait;
  }

  /** Resolves, or rejects, with what the work returns or throws. */
  run<Result>(work: () => Result): Promise<Result> {
    const turn = this.#lastTurn.then(() => this.#takeTurn(work));
    this.#lastTurn = turn.then(({ rest }) => rest);
    return turn.then(({ end }) => end());
  }

  async #takeTurn<Result>(work: () => Result): Promise<{ end: () => Result; rest: Promise<unknown> }> {
    const startedAt = this.#now();
    const end = endOf(work);
    return { end, rest: this.#wait(this.#now() - startedAt) };
  }
}

/** Runs the work, and returns a function that returns or throws what it did. */
function endOf<Result>(work: () => Result): () => Result {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
