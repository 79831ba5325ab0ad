import { closeSync, openSync } from 'node:fs';

/**
 * Makes an empty file that its owner alone can read and write; leaves one that is there. SQLite gives the files that it
 * makes beside a database (`-wal`, `-shm`, `-journal`) the permissions of the database.
 *
 * A file that is there is not even opened: to close it would drop the locks that this process holds on it (fcntl(2)).
 */
export function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw error;
  }
}
