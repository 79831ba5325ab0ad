import type { SqliteThread } from '../foundation/database/sqlite/sqlite-thread-handle.ts';
import { maxWaitMilliseconds } from './max-wait.ts';

/**
 * Blocks this thread until a database thread has begun another request than before, so that no answer of it is read meanwhile.
 *
 * @param before its `begun` before the request was sent
 * @throws Error if it never begins
 */
export function blockUntilBegun(thread: Pick<SqliteThread, 'begun'>, before: number): void {
  const end = performance.now() + maxWaitMilliseconds;
  while (thread.begun === before) {
    if (performance.now() > end) throw new Error('the database thread has not begun the request');
  }
}
