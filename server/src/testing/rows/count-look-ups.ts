import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { vi } from 'vitest';
import { textOfMessage } from '../receivers/text-of-message.ts';

/** The queries before a caller is known: for the credential itself, and for its freshness. */
const lookUps = /\bselect\b.*(\bdigest(\\")? (in|=)|credential_changes)/;

/** Counts the look-ups that are sent to a database of either engine until mocks are restored. */
export function countLookUps(): { count(): number } {
  const toSqlite = vi.spyOn(Worker.prototype, 'postMessage');
  const toPostgres = vi.spyOn(pg.Client.prototype, 'query');
  return {
    count() {
      const messages: unknown[] = [...toSqlite.mock.calls, ...toPostgres.mock.calls].map(([first]) => first);
      return messages.filter((message) => lookUps.test(textOfMessage(message))).length;
    },
  };
}
