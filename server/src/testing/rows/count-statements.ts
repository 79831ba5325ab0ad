import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { vi } from 'vitest';
import { textOfMessage } from '../receivers/text-of-message.ts';

/** Sent in the background at any time, so not counted. */
const background = /set last_seen_at = |discard plans/;

/** Counts the statements that are sent to a database of either engine until mocks are restored. */
export function countStatements(): { count(): number } {
  const toSqlite = vi.spyOn(Worker.prototype, 'postMessage');
  const toPostgres = vi.spyOn(pg.Client.prototype, 'query');
  let counted = 0;
  return {
    count() {
      // Removed, so that none is counted twice.
      const calls = [...toSqlite.mock.calls.splice(0), ...toPostgres.mock.calls.splice(0)];
      counted += calls.filter(([first]) => !background.test(textOfMessage(first))).length;
      return counted;
    },
  };
}
