import type { Database } from '../../../foundation/database/database.ts';
import type { CountingEngine } from './counting-engine.ts';
import { PostgresCounting, type PostgresCountingOptions } from './counting-engine-postgres.ts';
import { SqliteCounting } from './counting-engine-sqlite.ts';

/** @param onPostgres what is done with a portion there. On SQLite, `sqlite-worker.ts` passes it to the procedure. */
export function createCountingEngine(
  database: Database,
  onPostgres?: PostgresCountingOptions,
): CountingEngine {
  switch (database.engine) {
    case 'sqlite':
      return new SqliteCounting(database);
    case 'postgres':
      return new PostgresCounting(database, onPostgres);
  }
}
