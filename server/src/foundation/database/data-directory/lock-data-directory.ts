import { join } from 'node:path';
import { explainFailure } from '../sqlite/explain-failure.ts';
import { loadSqliteDriver } from '../sqlite/load-driver.ts';
import { findLockHolder } from './find-lock-holder.ts';
import { makePrivateFile } from './make-private-file.ts';

type Connection = InstanceType<ReturnType<typeof loadSqliteDriver>['DatabaseSync']>;

export const lockFileName = 'muster.lock';

/** A data directory that this process has for itself. */
export interface DataDirectoryLock {
  /** A database was opened here before, by this process or an earlier one. */
  readonly hasHeldDatabase: boolean;
  /** Notes that a database is here, for every later start. */
  noteDatabase(): void;
  release(): void;
}

/**
 * Claims a data directory for this process until it ends, however it ends.
 *
 * The claim is an exclusive transaction on a database of its own: the kernel drops it with the process, so
 * that nothing is left to clean up after a kill.
 *
 * @throws Error when another process holds it.
 */
export function lockDataDirectory(dataDirectory: string): DataDirectoryLock {
  const { DatabaseSync } = loadSqliteDriver();
  const file = join(dataDirectory, lockFileName);
  let connection: Connection | undefined;
  try {
    makePrivateFile(file);
    connection = new DatabaseSync(file);
    connection.exec('PRAGMA busy_timeout = 0');
    // Until the connection is closed, whatever is committed meanwhile.
    connection.exec('PRAGMA locking_mode = EXCLUSIVE');
    connection.exec('PRAGMA journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
    return holdLock(connection);
  } catch (error) {
    connection?.close();
    const message = error instanceof Error ? error.message : String(error);
    if (!/locked|busy/i.test(message)) {
      throw new Error(`${dataDirectory} cannot be locked: ${explainFailure(message)}`);
    }
    throw new Error(describeHolder(dataDirectory, file), { cause: error });
  }
}

function holdLock(connection: Connection): DataDirectoryLock {
  const hasHeldDatabase = hasNote(connection);
  return {
    hasHeldDatabase,
    noteDatabase() {
      if (hasHeldDatabase) return;
      try {
        connection.exec('CREATE TABLE database_was_here (id INTEGER PRIMARY KEY); COMMIT');
      } catch {
        // A disk that takes no writes is no reason not to start: the next start notes it.
      }
    },
    release: () => connection.close(),
  };
}

/** Not by a prepared statement: the lock would be held until that is collected as garbage. */
function hasNote(connection: Connection): boolean {
  try {
    connection.exec('SELECT * FROM database_was_here');
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes('no such table')) return false;
    throw error;
  }
}

function describeHolder(dataDirectory: string, file: string): string {
  const holder = findLockHolder(file);
  const ownUserID = process.getuid?.();
  if (holder === undefined || holder.userID === ownUserID) {
    return `${dataDirectory} is in use by another Muster process. Stop that one, choose another MUSTER_DATA_DIR, or run several on PostgreSQL with DATABASE_URL.`;
  }
  const { processID, command, userID } = holder;
  return `${dataDirectory} is in use by a process of another user: process ${processID} (${command}) of user ${userID} holds ${file}, and Muster runs as user ${ownUserID}. If that process is a Muster, stop it, or choose another MUSTER_DATA_DIR. If it is not, end it (kill ${processID}) and start Muster again.`;
}
