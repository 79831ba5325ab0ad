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
    'the disk that holds the data directory does not answer: it hangs, or is far too busy',
    undefined,
  );
}

export function readTakesLong(): SqliteError {
  return new SqliteError(
    'the read takes too long, 10 s and more: it has to look at very many rows, waits behind others that do, or its disk is slow. A list is read faster with narrower filters, such as a time span or one agent',
    undefined,
  );
}

export function readsPileUp(): SqliteError {
  return new SqliteError(
    'too many reads wait for one that takes too long, or for a disk that does not answer',
    undefined,
  );
}
