/** The times of the latest new errors in ascending order. Times outside the interval are dropped. */
export class RecentTimes {
  #times: number[];
  #first = 0;

  /** @param times milliseconds, ascending. */
  constructor(times: readonly number[] = []) {
    this.#times = [...times];
  }

  /** Undefined if there is none. */
  get latest(): number | undefined {
    return this.#times.at(-1);
  }

  /** Counts the times in the half-open range, and drops earlier ones. All in milliseconds. */
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

  /** Usually the latest time; an earlier one if the clock was set back during a restart. */
  add(milliseconds: number): void {
    const position = this.#positionOf(milliseconds + 1);
    if (position === this.#times.length) this.#times.push(milliseconds);
    else this.#times.splice(position, 0, milliseconds);
  }

  /** Position of the first time that is not earlier. */
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
