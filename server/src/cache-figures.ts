/** What a cache says of itself, for `/metrics`. Every cache has a getter of these; test/architecture asks for it. */
export interface CacheFigures {
  /** Entries that it holds, or their bytes where bytes are what is bounded. */
  readonly size: number;
  /** The most that it holds. */
  readonly limit: number;
  /** Look-ups that it has answered since the start. */
  readonly hits: number;
  /** Look-ups that it could not answer. */
  readonly misses: number;
}
