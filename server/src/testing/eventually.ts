import { vi } from 'vitest';
import { maxWaitMilliseconds } from './max-wait.ts';

/** Waits for something that happens without an event: repeats the check until it no longer throws, and then returns its result. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: maxWaitMilliseconds, interval: 10 });
}
