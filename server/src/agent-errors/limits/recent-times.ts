/** When the latest new errors were made, in ascending order; those that have left the interval make room. */
export class RecentTimes {
  #times: number[];
  #first = 0;

  /** @param times milliseconds, ascending. */
  constructor(times: readonly number[] = []) {
    this.#times = [...times];
  }

  /** How many there are from that time on and before the other; forgets what was earlier. All in milliseconds. */
  count(from: number, end: number): number {
    this.#dropBefore(from);
    return this.#positionOf(end) - this.#first;
  }

  #dropBefore(milliseconds: number): void {
    while (this.#first < this.#times.length && (this.#times[this.#first] ?? 0) < milliseconds)
      this.#first += 1;
    if (this.#first * 2 < this.#times.length) return;
    this.#times = this.#times.slice(this.#first);
    this.#first = 0;
  }

  /** Mostly the latest; where a clock was put back over a restart, one that lies before others. */
  add(milliseconds: number): void {
    const position = this.#positionOf(milliseconds + 1);
    if (position === this.#times.length) this.#times.push(milliseconds);
    else this.#times.splice(position, 0, milliseconds);
  }

  /** Of the first that is not earlier. */
  #positionOf(milliseconds: number): number {
    let end = this.#times.length;
    if ((this.#times[end - 1] ?? 0) < milliseconds) return end;
    let from = this.#first;
    while (from < end) {
      const middle = (from + end) >>> 1;
      if ((this.#times[middle] ?? 0) < milliseconds) from = middle + 1;
      else end = middle;
    }
    return from;
  }
}
