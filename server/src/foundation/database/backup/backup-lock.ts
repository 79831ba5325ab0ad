import { existsSync } from 'node:fs';
import { makePrivateFile } from '../data-directory/make-private-file.ts';
import { loadSqliteDriver } from '../sqlite/load-driver.ts';

/** In the data directory: the service leaves its write-ahead log as it is while another process holds this lock. */
export const backupLockName = 'muster.backup-lock';

/** Long enough for `isLocked` of another process to end. */
const maxWaitMilliseconds = 1_000;

/** A lock that the kernel releases with the process, however it ends. */
export interface BackupLock {
  release(): void;
}

/** Undefined: another process holds the lock. */
export function takeBackupLock(file: string): BackupLock | undefined {
  const { DatabaseSync } = loadSqliteDriver();
  makePrivateFile(file);
  const connection = new DatabaseSync(file);
  try {
    connection.exec(`PRAGMA busy_timeout = ${maxWaitMilliseconds}`);
    connection.exec('PRAGMA journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
    return { release: () => connection.close() };
  } catch (error) {
    connection.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** True if another process holds the lock. It takes a fraction of a millisecond, and never fails. */
export function isLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    return isHeld(file);
  } catch {
    return false;
  }
}

function isHeld(file: string): boolean {
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(file);
  try {
    connection.exec('PRAGMA busy_timeout = 0');
    // Not by a prepared statement: the lock would be held until that is collected as garbage.
    connection.exec('SELECT * FROM sqlite_schema');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    connection.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /locked|busy/i.test(error.message);
}
