import { closeSync, existsSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { loadSqliteDriver } from '../sqlite/load-driver.ts';
import { LogLength } from '../sqlite/log-length.ts';
import type { BackupPace } from './backup-pace.ts';
import { SyncedFile } from './synced-file.ts';

interface CopyOptions {
  readonly pace: BackupPace;
  /** Size of the write-ahead log in bytes that it should not reach before the copy has ended, because it cannot be emptied until then. */
  readonly maxLogBytes: number;
  readonly onProgress: (copiedBytes: number, totalBytes: number) => void;
}

const chunkBytes = 1024 * 1024;

/**
 * Copies an embedded database that a service may be writing to, without holding up the service. The copy has every transaction that was committed
 * before the call.
 *
 * A read transaction is open meanwhile. SQLite then moves no page into the database file that this transaction must not see, and does not restart the
 * log. So the database file together with the log as it was at the beginning is a consistent database, as after a crash, and SQLite recovers it in the
 * copy. What the log gets later is not needed.
 * If the transaction reads the database file alone, because the whole log was moved before, the log may restart; then the file does not change at all,
 * and the log is not needed. docs/decisions/0040-backups-are-copied-with-pauses.md has the reasons.
 *
 * Must not run in the process of the service: closing a file releases all locks of its process on it (fcntl(2)).
 */
export async function copyDatabaseFile(source: string, target: string, options: CopyOptions): Promise<void> {
  const log = `${source}-wal`;
  const handle = openSync(source, 'r');
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(source);
  let logHandle: number | undefined;
  let length: LogLength | undefined;
  try {
    connection.exec('PRAGMA busy_timeout = 5000');
    connection.exec('PRAGMA query_only = ON');
    connection.exec('BEGIN');
    // The transaction begins with its first read.
    connection.exec('SELECT count(*) FROM sqlite_schema');
    if (existsSync(log)) {
      logHandle = openSync(log, 'r');
      length = new LogLength(log);
    }
    const salt = logHandle === undefined ? undefined : readLogSalt(logHandle);
    const logBytes = salt === undefined ? 0 : (length?.readBytes() ?? 0);
    const totalBytes = fstatSync(handle).size + logBytes;
    let copiedBytes = 0;
    const rest = async (bytes: number): Promise<void> => {
      copiedBytes += bytes;
      options.onProgress(copiedBytes, Math.max(copiedBytes, totalBytes));
      const usedShare = ((length?.readBytes() ?? 0) - logBytes) / Math.max(0, options.maxLogBytes - logBytes);
      // The copy must end before the log is too large.
      if (usedShare > copiedBytes / totalBytes) options.pace.hurry();
      else await options.pace.restAfterWriting();
    };
    if (logHandle !== undefined && salt !== undefined) {
      await copyBytes(logHandle, `${target}-wal`, logBytes, rest);
    }
    await copyBytes(handle, target, Number.POSITIVE_INFINITY, rest);
    if (logHandle !== undefined && salt !== undefined && readLogSalt(logHandle) !== salt) {
      rmSync(`${target}-wal`);
    }
    connection.exec('COMMIT');
  } finally {
    connection.close();
    closeSync(handle);
    length?.close();
    if (logHandle !== undefined) closeSync(logHandle);
  }
}

/** @param end position in the source at which the copy ends, or earlier at the end of the source */
async function copyBytes(
  source: number,
  target: string,
  end: number,
  rest: (copiedBytes: number) => Promise<void>,
): Promise<void> {
  const copy = new SyncedFile(target);
  const chunk = Buffer.alloc(chunkBytes);
  try {
    for (let position = 0; position < end; ) {
      const read = readSync(source, chunk, 0, Math.min(chunkBytes, end - position), position);
      if (read === 0) break;
      copy.write(chunk.subarray(0, read));
      position += read;
      await rest(read);
    }
  } finally {
    copy.close();
  }
}

/** The number that changes when the log restarts; undefined if the log has no header yet. Format: https://www.sqlite.org/fileformat2.html#walformat */
function readLogSalt(handle: number): string | undefined {
  const header = Buffer.alloc(32);
  return readSync(handle, header, 0, 32, 0) < 32 ? undefined : header.toString('hex', 16, 24);
}
