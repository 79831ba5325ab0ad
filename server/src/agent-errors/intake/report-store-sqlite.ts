import type { SqliteThreads } from '../../database/sqlite/sqlite-threads.ts';
import type { NewErrorLimits } from '../limits/new-error-limits.ts';
import type { ReportOutcome, StoreReports } from '../report.ts';
import type { ReportBatch } from './report-procedure-sqlite.ts';

/** Sends the whole batch in one message to report-procedure-sqlite.ts, which implements the ignore rule on SQLite. */
export function createSqliteReportStore(threads: SqliteThreads, limits: NewErrorLimits): StoreReports {
  return async (reports) => {
    const batch: ReportBatch = { limits, reports };
    return (await threads.call('storeReports', batch)) as readonly ReportOutcome[]; // the result of storeReports
  };
}
