import { vi } from 'vitest';

/**
 * Waits for something that happens soon without an event: repeats the check until it no longer throws. The limit is
 * shorter than that of the test, so that a failure shows the last error of the check.
 */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 90_000, interval: 10 });
}
