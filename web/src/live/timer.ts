/** Waits, and a way to end the wait. */
export interface Timer {
  set(run: () => void, milliseconds: number): unknown;
  clear(handle: unknown): void;
}
