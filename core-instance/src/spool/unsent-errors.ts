/** About 10,000 errors. One that is forgotten is synced once more. */
const maxCharacters = 2 * 1024 * 1024;

/** For each item, what equal errors have in common; undefined for state. */
type Keys = readonly (string | undefined)[];

/**
 * The errors that are safe on the disk and that the centre was not sent yet. A repeat of one adds to its count and changes its last time, and nothing
 * else: the error itself comes to the centre whatever happens here, and nobody can have dismissed it before that. Behind a change of state,
 * the same text may be another error.
 */
export class UnsentErrors {
  readonly #keys = new Set<string>();
  #characters = 0;

  /** True for repeats alone. */
  holdAll(keys: Keys): boolean {
    return keys.every((key) => key !== undefined && this.#keys.has(key));
  }

  /** Notes items that are safe on the disk now, in their order. */
  note(keys: Keys): void {
    for (const key of keys) {
      if (key === undefined) this.clear();
      else this.#add(key);
    }
  }

  clear(): void {
    this.#keys.clear();
    this.#characters = 0;
  }

  #add(key: string): void {
    if (this.#keys.has(key)) return;
    if (this.#characters + key.length > maxCharacters) this.clear();
    this.#keys.add(key);
    this.#characters += key.length;
  }
}
