interface WriteBehindOptions<Value> {
  readonly merge: (earlier: Value, later: Value) => Value;
  /** Writes one portion durably. If it rejects, nothing of the portion was written. */
  readonly write: (portion: ReadonlyMap<string, Value>) => Promise<void>;
  /** Called once for a portion that was not written as a whole. */
  readonly onFailure: (error: unknown) => void;
  /** Whether nothing can be written at the moment. Any other failure may be the fault of one value. */
  readonly isOutage: (error: unknown) => boolean;
  readonly intervalMilliseconds: number;
  readonly portionSize?: number;
}

/** Enough to find three bad values among 500, and few enough for a failure of every write. */
const maxFailuresPerPortion = 40;

/**
 * Collects small updates (last seen, occurrences) by key and writes them in portions, so that requests need not wait for them. A crash loses at most
 * one interval of such updates, never a row.
 *
 * A value that cannot be written does not keep the others of its portion from being written: the portion is halved until they are apart.
 */
export class WriteBehind<Value> {
  readonly #options: WriteBehindOptions<Value>;
  readonly #portionSize: number;
  #gathered = new Map<string, Value>();
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WriteBehindOptions<Value>) {
    this.#options = options;
    this.#portionSize = options.portionSize ?? 500;
  }

  add(key: string, value: Value): void {
    const earlier = this.#gathered.get(key);
    this.#gathered.set(key, earlier === undefined ? value : this.#options.merge(earlier, value));
    this.#timer ??= this.#schedule();
  }

  /** Derives the new value of a key from the waiting one, which it may change in place. */
  change(key: string, derive: (earlier: Value | undefined) => Value): void {
    this.#gathered.set(key, derive(this.#gathered.get(key)));
    this.#timer ??= this.#schedule();
  }

  get size(): number {
    return this.#gathered.size;
  }

  /** Whether something was added under the key that is not written and not being written. */
  has(key: string): boolean {
    return this.#gathered.has(key);
  }

  /** Resolves when everything that was added before was written, or when its write has failed. */
  async flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeAll());
    await this.#writing;
  }

  /** Writes the values of these keys now; the others are written at their time. */
  async flushKeys(keys: Iterable<string>): Promise<void> {
    const portion = new Map<string, Value>();
    for (const key of keys) {
      const value = this.#gathered.get(key);
      if (value !== undefined) portion.set(key, value);
    }
    for (const key of portion.keys()) this.#gathered.delete(key);
    // Also waits for a write under way, which may contain earlier values of the same keys.
    this.#writing = this.#writing.then(() => this.#writePortion(portion));
    await this.#writing;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.flush();
    clearTimeout(this.#timer);
  }

  #schedule(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, this.#options.intervalMilliseconds);
  }

  async #writeAll(): Promise<void> {
    const gathered = this.#gathered;
    this.#gathered = new Map();
    let portion = new Map<string, Value>();
    // In the order of the key, so that the rows of a portion are neighbours in the table: with 100,000 keys, random ones would be on as many pages.
    for (const [key, value] of [...gathered].sort(byKey)) {
      portion.set(key, value);
      if (portion.size === this.#portionSize) {
        await this.#writePortion(portion);
        portion = new Map();
      }
    }
    await this.#writePortion(portion);
  }

  async #writePortion(portion: ReadonlyMap<string, Value>): Promise<void> {
    if (portion.size === 0) return;
    const failures: unknown[] = [];
    await this.#writeOrHalve(portion, failures);
    if (failures.length === 0) return;
    // The last one is that of the fewest values.
    this.#options.onFailure(failures.at(-1));
    this.#timer ??= this.#schedule();
  }

  async #writeOrHalve(portion: ReadonlyMap<string, Value>, failures: unknown[]): Promise<void> {
    try {
      await this.#options.write(portion);
    } catch (error) {
      failures.push(error);
      const isWorthHalving =
        portion.size > 1 && failures.length < maxFailuresPerPortion && !this.#options.isOutage(error);
      if (!isWorthHalving) {
        this.#keep(portion);
        return;
      }
      const entries = [...portion];
      const middle = Math.ceil(entries.length / 2);
      await this.#writeOrHalve(new Map(entries.slice(0, middle)), failures);
      await this.#writeOrHalve(new Map(entries.slice(middle)), failures);
    }
  }

  /** For the next attempt. */
  #keep(portion: ReadonlyMap<string, Value>): void {
    for (const [key, value] of portion) {
      const later = this.#gathered.get(key);
      this.#gathered.set(key, later === undefined ? value : this.#options.merge(value, later));
    }
  }
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
