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
