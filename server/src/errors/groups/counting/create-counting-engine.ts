import type { Database } from '../../../foundation/database/database.ts';
import type { CountingEngine } from './counting-engine.ts';
import { PostgresCounting, type PostgresCountingOptions } from './counting-engine-postgres.ts';
import { SqliteCounting } from './counting-engine-sqlite.ts';

/** @param options used on PostgreSQL. On SQLite, `sqlite-worker.ts` passes what is done with a portion to the procedure. */
export function createCountingEngine(database: Database, options: PostgresCountingOptions): CountingEngine {
  switch (database.engine) {
    case 'sqlite':
      return new SqliteCounting(database);
    case 'postgres':
      return new PostgresCounting(database, options);
  }
}
