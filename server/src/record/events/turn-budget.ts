/** The work of one turn of the event loop: about as many writes to a connection, a millisecond or two. */
const maxWorkPerTurn = 64;
/** So many characters, made or written, are as much work as one write. */
const charactersPerUnit = 8_192;

/**
 * Limits the work between two turns of the event loop, so that requests are answered in between, however many listeners there are. It counts, because
 * what fits into a time would depend on the load of the machine.
 */
export class TurnBudget {
  #spent = 0;

  /** Counts a write or a similar step. Returns a promise to wait for if the turn has no room left. */
  spend(characters = 0): Promise<void> | undefined {
    this.#spent += 1 + characters / charactersPerUnit;
    if (this.#spent < maxWorkPerTurn) return undefined;
    this.#spent = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }
}
