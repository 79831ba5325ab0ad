import { vi } from 'vitest';

/**
 * Waits for what happens soon by itself and says so by no event: until the check no longer throws. The limit ends a
 * test that would wait for ever, shortly before the limit of the test does, so that it tells what it waited for.
 */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 90_000, interval: 5 });
}
