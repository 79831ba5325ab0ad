import { foldErrors, foldKeyOf, type SpooledItem } from './spooled-item.ts';

/**
 * Items in their order, in which equal errors are one. An error is never folded across state: a new configuration of its agent would make it another
 * error, and the agent of a machine is not known here.
 */
export class FoldedItems {
  readonly #items: SpooledItem[] = [];
  readonly #keys: (string | undefined)[] = [];
  readonly #places = new Map<string, number>();

  /** @returns false if the item was folded into an earlier one */
  add(item: SpooledItem): boolean {
    if (item.kind !== 'error') {
      this.#places.clear();
      this.#items.push(item);
      this.#keys.push(undefined);
      return true;
    }
    const key = foldKeyOf(item);
    const place = this.#places.get(key);
    const earlier = place === undefined ? undefined : this.#items[place];
    if (place !== undefined && earlier?.kind === 'error') {
      this.#items[place] = foldErrors(earlier, item);
      return false;
    }
    this.#places.set(key, this.#items.length);
    this.#items.push(item);
    this.#keys.push(key);
    return true;
  }

  /** What equal errors have in common, by the place of the item; undefined for state. */
  get keys(): readonly (string | undefined)[] {
    return this.#keys;
  }

  get items(): readonly SpooledItem[] {
    return this.#items;
  }
}
