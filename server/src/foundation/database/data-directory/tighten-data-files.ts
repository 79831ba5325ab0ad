import { chmodSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every file that Muster and SQLite create in a data directory. */
const dataFileNames = [
  'muster.db',
  'muster.db-wal',
  'muster.db-shm',
  'muster.db-journal',
  'muster.lock',
  'muster.lock-journal',
  'muster.backup-lock',
  'admin-token',
  'admin-token.new',
  'project-token',
  'sign-in-link',
  'secret-key',
  'server-url',
];
const ofOthers = 0o077;

/**
 * Makes the files of a data directory private to their owner. An older version, or a copy, may have left them
 * readable, so that other users could read every error or hold the lock.
 *
 * @param onNotice called with a sentence for the log about each change, or each failure to change
 */
export function tightenDataFiles(dataDirectory: string, onNotice: (notice: string) => void): void {
  // Windows has no such permissions.
  if (process.platform === 'win32') return;
  const tightened: string[] = [];
  for (const name of dataFileNames) {
    const file = join(dataDirectory, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile() || (stats.mode & ofOthers) === 0) continue;
    if (tighten(file, stats)) tightened.push(name);
    else onNotice(describeForeign(file, stats));
  }
  if (tightened.length > 0) {
    onNotice(
      `other users could read or lock ${tightened.join(', ')} in ${dataDirectory}; now only the owner can (mode 0600). If others were not to be trusted, revoke the tokens that they may have read.`,
    );
  }
}

/** Returns false if the file belongs to another user. */
function tighten(file: string, { mode }: Stats): boolean {
  try {
    chmodSync(file, mode & 0o777 & ~ofOthers);
    return true;
  } catch {
    return false;
  }
}

function describeForeign(file: string, { uid, mode }: Stats): string {
  return `${file} can be read or locked by other users (mode ${(mode & 0o777).toString(8)}), and Muster may not change that, because the file belongs to user ${uid}. Give the data directory and every file in it to the user that runs Muster (chown), with mode 0600.`;
}
