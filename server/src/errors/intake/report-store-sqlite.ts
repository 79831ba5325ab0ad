import type { SqliteThreads } from '../../foundation/database/sqlite/sqlite-threads.ts';
import type { NewErrorLimits } from '../limits/new-error-limits.ts';
import type { StoreReports } from '../report.ts';
import { type PackedOutcome, packReports, unpackOutcomes } from './report-batch-sqlite.ts';

/** Sends the whole batch in one message to report-procedure-sqlite.ts, which implements the ignore rule on SQLite. */
export function createSqliteReportStore(threads: SqliteThreads, limits: NewErrorLimits): StoreReports {
  return async (reports) => {
    const outcomes = await threads.call('storeReports', packReports(limits, reports));
    return unpackOutcomes(outcomes as readonly PackedOutcome[], reports); // the result of storeReports
  };
}
