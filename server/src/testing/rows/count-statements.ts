import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { vi } from 'vitest';
import { textOfMessage } from '../receivers/text-of-message.ts';

/** Written in the background, some seconds of real time after what happened, so not counted: repeats, the use of tokens, signs of life and of listening. */
const background = new RegExp(
  [
    String.raw`set occurrences = occurrences \+|as t \(agent_id, id, count, seen_at\)`,
    String.raw`set last_used_at = |as t \(id, used_at\)|\btoken_(?:origins|days)\b`,
    'insert into (?:agent_signs|listening)',
    'discard plans',
  ].join('|'),
);

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
