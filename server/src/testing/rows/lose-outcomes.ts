import pg from 'pg';
import { vi } from 'vitest';
import { SqliteThread } from '../../foundation/database/sqlite/sqlite-thread-handle.ts';
import { blockUntilBegun } from '../block-until-begun.ts';
import { testEngine } from '../test-database.ts';

/** The same as in sqlite-threads.ts. */
const maxWaitMilliseconds = 90_000;

/**
 * From now until `findOutcomes`, each commit succeeds, but its caller gets the error that the database is unavailable:
 * the disk answers after the time limit, or the connection breaks before the answer. Batches that are written in the
 * background are not affected.
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
  const execute = SqliteThread.prototype.execute;
  const isCommit = createCommitFinder();
  vi.spyOn(SqliteThread.prototype, 'execute').mockImplementation(function (
    this: SqliteThread,
    ...[statement, earlier]
  ) {
    const { begun } = this;
    const answer = Reflect.apply(execute, this, [statement, earlier]);
    if (isCommit(this, statement.sql)) {
      // What the thread has not begun would not be done. Nothing is read from it here, so that its answer comes too late.
      blockUntilBegun(this, begun);
      vi.advanceTimersByTime(maxWaitMilliseconds);
    }
    return answer;
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
  // Only the form of the overload that our pool uses.
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(queryAndBreak as never);
}

/** Recognizes statements that store something, on connections that may each be in a transaction. */
function createCommitFinder(): (connection: object, sql: string) => boolean {
  const inTransaction = new WeakSet<object>();
  return (connection, sql) => {
    if (/^begin/i.test(sql)) inTransaction.add(connection);
    else if (/^commit/i.test(sql)) return inTransaction.delete(connection);
    const isChange = /^\s*(insert|update|delete|with[\s\S]*\b(insert into|update|delete from))\b/i.test(sql);
    return isChange && !inTransaction.has(connection);
  };
}
