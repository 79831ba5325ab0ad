/** A turn that counts at least this many changes belongs to a storm. */
const stormChanges = 1_000;
const skippedTurns = 3;

/**
 * Decides which turns of the folder count. In a storm, one turn in four does: the changes of a group and an agent are then counted together, and each
 * of these pairs is written once a second instead of four times.
 */
export class CountingPace {
  #turnsToSkip = 0;

  /** Call it once for each turn. */
  countsInTurn(): boolean {
    if (this.#turnsToSkip === 0) return true;
    this.#turnsToSkip -= 1;
    return false;
  }

  /** @param changes how many changes a turn has counted */
  noteCounted(changes: number): void {
    this.#turnsToSkip = changes >= stormChanges ? skippedTurns : 0;
  }
}
