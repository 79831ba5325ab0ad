/**
 * A map that evicts entries that were not used for long: when one generation is full, the previous one is dropped. It holds between one and two
 * generations of entries, and is faster than an LRU order.
 */
export class TwoGenerations<Key, Value> {
  readonly #maxGenerationSize: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  constructor(maxGenerationSize: number) {
    this.#maxGenerationSize = maxGenerationSize;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#maxGenerationSize && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
