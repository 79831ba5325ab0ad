import type { MonotonicClock } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { NewErrorLimits } from '../limits/new-error-limits.ts';
import type { StoreReports } from '../report.ts';
import { createPostgresReportStore } from './report-store-postgres.ts';
import { createSqliteReportStore } from './report-store-sqlite.ts';

/** The engine's implementation of the ignore rule. */
export function createReportStore(
  database: Database,
  limits: NewErrorLimits,
  monotonic: MonotonicClock,
): StoreReports {
  switch (database.engine) {
    case 'sqlite':
      return createSqliteReportStore(database.sqlite, limits);
    case 'postgres':
      return createPostgresReportStore(database.postgres, limits, monotonic);
  }
}

/**
 * Number of batches of different agents that the engine is given at a time. SQLite has one writer, which finds the second one when the first is
 * stored. PostgreSQL stores the second one while the first one commits, unless there is a limit per project, whose count must include both.
 */
export function maxBatchesInFlight({ engine }: Database, { newPerProjectPerSecond }: NewErrorLimits): number {
  return engine === 'sqlite' || newPerProjectPerSecond === 0 ? 2 : 1;
}
