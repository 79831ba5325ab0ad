const intervalMilliseconds = 5_000;
/** Faster work prints no progress. */
const minSeconds = 0.5;

/** Occasionally prints the progress and the rate of long work. */
export class Progress {
  readonly #what: string;
  readonly #total: number;
  readonly #started = performance.now();
  #done = 0;
  #lastSaid = performance.now();

  constructor(what: string, total: number) {
    this.#what = what;
    this.#total = total;
  }

  add(count: number): void {
    this.#done += count;
    const now = performance.now();
    if (now - this.#lastSaid < intervalMilliseconds) return;
    this.#lastSaid = now;
    console.log(`  ${this.#describe()}`);
  }

  end(): void {
    if (this.#seconds() < minSeconds) return;
    console.log(`  ${this.#describe()}, in ${this.#seconds().toFixed(1)} s`);
  }

  #describe(): string {
    const rate = Math.round(this.#done / Math.max(this.#seconds(), 0.001));
    const share = Math.floor((100 * this.#done) / this.#total);
    return `${this.#what}: ${format(this.#done)} of ${format(this.#total)} rows (${share} %), ${format(rate)} a second`;
  }

  #seconds(): number {
    return (performance.now() - this.#started) / 1_000;
  }
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}
