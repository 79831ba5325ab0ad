import { SqliteError } from './sqlite-error.ts';

const unavailable =
  /disk|I\/O|locked|busy|full|readonly|read-only|unable to open|malformed|not a database|removed, moved or replaced/i;

export function isSqliteUnavailable(error: unknown): boolean {
  if (error instanceof SqliteError) return unavailable.test(error.message);
  return error instanceof Error && error.message === 'the database thread has ended';
}

export function isSqliteUniqueViolation(error: unknown): boolean {
  return error instanceof SqliteError && error.message.includes('UNIQUE constraint failed');
}
