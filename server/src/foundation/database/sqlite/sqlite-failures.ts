import { SqliteError } from './sqlite-error.ts';

const unavailable =
  /disk|I\/O|locked|busy|full|readonly|read-only|unable to open|malformed|not a database|removed, moved or replaced|takes too long/i;

export function isSqliteUnavailable(error: unknown): boolean {
  if (error instanceof SqliteError) return unavailable.test(error.message);
  return error instanceof Error && error.message === 'the database thread has ended';
}

export function isSqliteUniqueViolation(error: unknown): boolean {
  return error instanceof SqliteError && error.message.includes('UNIQUE constraint failed');
}

export function diskIsSilent(): SqliteError {
  return new SqliteError(
    'the disk with the data directory does not answer: it hangs, or is far too busy',
    undefined,
  );
}

export function readTakesLong(): SqliteError {
  return new SqliteError(
    'the read takes more than 10 s: it must read too many rows, waits for other such reads, or the disk is slow. Use narrower filters, such as a time span or one agent',
    undefined,
  );
}

export function readsPileUp(): SqliteError {
  return new SqliteError(
    'too many reads wait for a slow read, or for a disk that does not answer',
    undefined,
  );
}
