import type { Database } from '../../database/database.ts';
import type { NewErrorLimits } from '../limits/new-error-limits.ts';
import type { StoreReports } from '../report.ts';
import { createPostgresReportStore } from './report-store-postgres.ts';
import { createSqliteReportStore } from './report-store-sqlite.ts';

/** The ignore rule in the words of the engine. */
export function createReportStore(database: Database, limits: NewErrorLimits): StoreReports {
  switch (database.engine) {
    case 'sqlite':
      return createSqliteReportStore(database.sqlite, limits);
    case 'postgres':
      return createPostgresReportStore(database.postgres, limits);
  }
}

/**
 * How many batches the engine takes at a time, of different agents. SQLite has one writer. On PostgreSQL, a second batch
 * is stored while the first one commits, unless a limit counts the errors of a project: that one has to see both.
 */
export function maxBatchesInFlight({ engine }: Database, { newPerProjectPerSecond }: NewErrorLimits): number {
  return engine === 'postgres' && newPerProjectPerSecond === 0 ? 2 : 1;
}
