import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { vi } from 'vitest';
import type { SqliteRequest } from '../database/sqlite/sqlite-messages.ts';
import { testEngine } from './test-database.ts';

/** As sqlite-threads.ts has it. */
const longestWaitMilliseconds = 90_000;

/**
 * From now until `findOutcomes` each commit takes place, and whoever waits for it is told that the database is away: the
 * disk answers after they were told that it does not, or the connection breaks before the answer. What is written in
 * batches in the background is left alone.
 */
export function loseOutcomes(): void {
  if (testEngine === 'sqlite') answerTooLate();
  else breakConnections();
}

export function findOutcomes(): void {
  vi.restoreAllMocks();
  vi.useRealTimers();
}

function answerTooLate(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const post = Worker.prototype.postMessage;
  const isCommit = createCommitFinder();
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (
    this: Worker,
    message: SqliteRequest,
  ) {
    Reflect.apply(post, this, [message]);
    if (message.kind !== 'statement' || !isCommit(this, message.statement.sql)) return;
    // Before any reply is read.
    queueMicrotask(() => vi.advanceTimersByTime(longestWaitMilliseconds));
  });
}

function breakConnections(): void {
  const query = pg.Client.prototype.query;
  const isCommit = createCommitFinder();
  async function queryAndBreak(this: pg.Client, config: pg.QueryConfig): Promise<pg.QueryResult> {
    const result: pg.QueryResult = await Reflect.apply(query, this, [config]);
    if (isCommit(this, config.text)) throw new Error('Connection terminated unexpectedly');
    return result;
  }
  // As the pool of ours calls it; the other forms of the overload are not used.
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(queryAndBreak as never);
}

/** Tells the statements after which something is stored, of connections that may each have a transaction open. */
function createCommitFinder(): (connection: object, sql: string) => boolean {
  const inTransaction = new WeakSet<object>();
  return (connection, sql) => {
    if (/^begin/i.test(sql)) inTransaction.add(connection);
    else if (/^commit/i.test(sql)) return inTransaction.delete(connection);
    const isChange = /^\s*(insert|update|delete|with[\s\S]*\b(insert into|update|delete from))\b/i.test(sql);
    return isChange && !inTransaction.has(connection);
  };
}
