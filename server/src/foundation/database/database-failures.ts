import {
  isPostgresTimeLimit,
  isPostgresUnavailable,
  isPostgresUniqueViolation,
} from './postgres/postgres-failures.ts';
import { SqliteError } from './sqlite/sqlite-error.ts';
import { isSqliteUnavailable, isSqliteUniqueViolation, readTakesLong } from './sqlite/sqlite-failures.ts';

/** True for a statement that was rejected because an equal row exists. */
export function isUniqueViolation(error: unknown): boolean {
  return isSqliteUniqueViolation(error) || isPostgresUniqueViolation(error);
}

/** True for a read that was cancelled because it took too long. */
export function isTimeLimit(error: unknown): boolean {
  const isOfSqlite = error instanceof SqliteError && error.message === readTakesLong().message;
  return isOfSqlite || isPostgresTimeLimit(error);
}

/** True if the database cannot be reached or cannot write now, as opposed to an error in a statement. */
export function isDatabaseFailure(error: unknown): boolean {
  return isSqliteUnavailable(error) || isPostgresUnavailable(error);
}
