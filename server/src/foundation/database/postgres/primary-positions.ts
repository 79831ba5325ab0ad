/** How far the log of the primary was at a time. */
interface PrimaryPosition {
  /** In bytes. */
  readonly position: number;
  /** Everything that was committed before this time is before the position, in milliseconds. */
  readonly at: number;
  /** The same time, of the monotonic clock. */
  readonly since: number;
}

/** How far behind a standby may be whose lists are shown. */
export const maxLagMilliseconds = 5_000;
/** Older ones say no more than that the standby is too far behind. */
const keptMilliseconds = 60_000;

/** How far the log of the primary was in the last minute, so that a position on a standby says how old its data is, whatever its clock says. */
export class PrimaryPositions {
  /** The oldest first. */
  #positions: PrimaryPosition[] = [];

  add(added: PrimaryPosition): void {
    this.#positions = this.#positions.filter(({ since }) => added.since - since < keptMilliseconds);
    this.#positions.push(added);
  }

  get first(): PrimaryPosition | undefined {
    return this.#positions[0];
  }

  /** The last one that a standby has reached; undefined if all are after it. */
  reachedBy(position: number): PrimaryPosition | undefined {
    return this.#positions.findLast((one) => one.position <= position);
  }
}
