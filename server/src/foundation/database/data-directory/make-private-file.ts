import { closeSync, openSync } from 'node:fs';

/**
 * Creates an empty file that only its owner can read and write, unless the file exists. SQLite gives the files beside
 * a database (`-wal`, `-shm`, `-journal`) the permissions of the database.
 *
 * An existing file is not opened, because closing it would release the locks of this process on it (fcntl(2)).
 */
export function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw error;
  }
}
