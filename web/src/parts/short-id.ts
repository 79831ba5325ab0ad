/** The part of an id that differs between neighbours. */
export function shortID(id: string): string {
  return id.slice(-8);
}
