import type { SqliteThreads } from '../../database/sqlite/sqlite-threads.ts';
import type { NewErrorLimits } from '../limits/new-error-limits.ts';
import type { ReportOutcome, StoreReports } from '../report.ts';
import type { ReportBatch } from './report-procedure-sqlite.ts';

/** The ignore rule on SQLite, which report-procedure-sqlite.ts holds: the whole batch goes there in one message. */
export function createSqliteReportStore(threads: SqliteThreads, limits: NewErrorLimits): StoreReports {
  return async (reports) => {
    const batch: ReportBatch = { limits, reports };
    return (await threads.call('storeReports', batch)) as readonly ReportOutcome[]; // what storeReports answers
  };
}
