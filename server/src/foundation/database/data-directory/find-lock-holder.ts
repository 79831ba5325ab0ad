import { readFileSync, statSync } from 'node:fs';

export interface LockHolder {
  readonly processID: number;
  readonly command: string;
  readonly userID: number;
}

/** SQLite locks the bytes of a file from 1 GiB on (SQLite, "File Locking And Concurrency", section 3). */
const firstLockByte = 0x40000000;
const lockBytes = 512;

/** Finds the process that holds a SQLite lock on a file. Only Linux tells, in /proc/locks; elsewhere undefined. */
export function findLockHolder(file: string): LockHolder | undefined {
  try {
    const { ino } = statSync(file);
    for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
      // Example: `1: POSIX  ADVISORY  WRITE 4711 fd:01:1316 1073741824 1073742335`. `->` marks a process that waits for a lock.
      const match = /^\d+: POSIX +\w+ +\w+ +(\d+) \w+:\w+:(\d+) (\d+) /.exec(line);
      const [, processID, inode, start] = (match ?? []).map(Number);
      if (processID === undefined || inode !== ino || start === undefined) continue;
      if (start >= firstLockByte && start < firstLockByte + lockBytes) return describe(processID);
    }
  } catch {
    // The file, the process or /proc no longer exists.
  }
  return undefined;
}

function describe(processID: number): LockHolder {
  const folder = `/proc/${processID}`;
  return {
    processID,
    command: readFileSync(`${folder}/comm`, 'utf8').trim(),
    userID: statSync(folder).uid,
  };
}
