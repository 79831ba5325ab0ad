import { foldKeyOf, type SpooledItem } from './spooled-item.ts';

/** About 10,000 errors. One that is forgotten is synced once more. */
const maxCharacters = 2 * 1024 * 1024;

/**
 * The errors that are safe on the disk and that the centre was not sent yet. A repeat of one adds to its count and changes its last time, and nothing
 * else: the error itself comes to the centre whatever happens here, and nobody can have dismissed it before that. Behind a change of state,
 * the same text may be another error.
 */
export class UnsentErrors {
  readonly #keys = new Set<string>();
  #characters = 0;

  /** True for repeats alone. */
  holdAll(items: readonly SpooledItem[]): boolean {
    return items.every((item) => item.kind === 'error' && this.#keys.has(foldKeyOf(item)));
  }

  /** Notes items that are safe on the disk now, in their order. */
  note(items: readonly SpooledItem[]): void {
    for (const item of items) {
      if (item.kind === 'error') this.#add(foldKeyOf(item));
      else this.clear();
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
