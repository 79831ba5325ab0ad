import { LRUCache } from 'lru-cache';

/**
 * A cache of at most this many entries, which forgets first what was not used for longest. It grows with its entries:
 * with `max`, the package takes the memory of all of them at once, a millisecond for each cache of ten thousand.
 */
export function createLruCache<Key extends object | string, Value extends object | number>(
  maxEntries: number,
): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 });
}
