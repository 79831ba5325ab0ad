/** Figures of a cache for `/metrics`. Every cache has a getter for them; test/architecture requires it. */
export interface CacheFigures {
  /** Number of entries, or of bytes if the limit is in bytes. */
  readonly size: number;
  /** Maximum of `size`. */
  readonly limit: number;
  /** Look-ups since the start that found an entry. */
  readonly hits: number;
  /** Look-ups since the start that found none. */
  readonly misses: number;
}
