import type { Engine } from '../../database/migrations/column-types.ts';
import { errorRowsOnPostgres } from './error-row-store-postgres.ts';
import { errorRowsOnSqlite } from './error-row-store-sqlite.ts';
import type { ErrorRows } from './error-rows.ts';

export function errorRowsOf(engine: Engine): ErrorRows {
  return engine === 'sqlite' ? errorRowsOnSqlite : errorRowsOnPostgres;
}
