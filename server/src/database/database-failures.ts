import { isPostgresUnavailable, isPostgresUniqueViolation } from './postgres/postgres-failures.ts';
import { isSqliteUnavailable, isSqliteUniqueViolation } from './sqlite/sqlite-failures.ts';

/** True for a statement that was turned down because an equal row exists. */
export function isUniqueViolation(error: unknown): boolean {
  return isSqliteUniqueViolation(error) || isPostgresUniqueViolation(error);
}

/** True when the database cannot be reached or cannot write now, as opposed to a fault in a statement. */
export function isDatabaseFailure(error: unknown): boolean {
  return isSqliteUnavailable(error) || isPostgresUnavailable(error);
}
