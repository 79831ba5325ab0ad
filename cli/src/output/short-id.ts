/** Length of the short form of an id. */
export const shortIDLength = 8;

/**
 * The short form of an id: its end, which is random. The beginning of a UUIDv7 is its time, which agents of one rollout
 * share.
 */
export function shortID(id: string): string {
  return id.slice(-shortIDLength);
}
