import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { loadSqliteDriver } from '../sqlite/load-driver.ts';
import { LogLength } from '../sqlite/log-length.ts';
import type { BackupPace } from './backup-pace.ts';

interface CopyOptions {
  readonly pace: BackupPace;
  /** Size of the write-ahead log in bytes from which on there are no pauses, because the log grows until the copy has ended. */
  readonly hurryBytes: number;
  readonly onProgress: (copiedBytes: number, totalBytes: number) => void;
}

const chunkBytes = 1024 * 1024;
const portionBytes = 4 * chunkBytes;

/**
 * Copies an embedded database that a service may be writing to, without holding up the service. The copy has every transaction that was committed
 * before the call.
 *
 * A read transaction is open meanwhile. SQLite then moves no page into the database file that this transaction must not see, and does not restart the
 * log. So the database file together with the log is a consistent database at the end, as after a crash, and SQLite recovers it in the copy.
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
  try {
    connection.exec('PRAGMA busy_timeout = 5000');
    connection.exec('PRAGMA query_only = ON');
    connection.exec('BEGIN');
    // The transaction begins with its first read.
    connection.exec('SELECT count(*) FROM sqlite_schema');
    logHandle = existsSync(log) ? openSync(log, 'r') : undefined;
    const salt = logHandle === undefined ? undefined : readLogSalt(logHandle);
    await copyPages(handle, target, log, options);
    if (logHandle !== undefined && salt !== undefined) {
      const targetLog = `${target}-wal`;
      copyLog(log, logHandle, targetLog);
      if (readLogSalt(logHandle) !== salt) rmSync(targetLog);
    }
    connection.exec('COMMIT');
  } finally {
    connection.close();
    closeSync(handle);
    if (logHandle !== undefined) closeSync(logHandle);
  }
}

async function copyPages(handle: number, target: string, log: string, options: CopyOptions): Promise<void> {
  const { pace, hurryBytes, onProgress } = options;
  const copy = openSync(target, 'wx', 0o600);
  const chunk = Buffer.alloc(chunkBytes);
  try {
    let position = 0;
    for (let isAtEnd = false; !isAtEnd; ) {
      for (const end = position + portionBytes; position < end && !isAtEnd; ) {
        const read = readSync(handle, chunk, 0, chunkBytes, position);
        isAtEnd = read === 0;
        writeAll(copy, chunk.subarray(0, read), position);
        position += read;
      }
      // Little by little: a commit of the service would wait for all that is written at once.
      fdatasyncSync(copy);
      onProgress(position, Math.max(position, fstatSync(handle).size));
      const isHurrying = (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > hurryBytes;
      if (isHurrying || isAtEnd) pace.hurry();
      else await pace.rest();
    }
  } finally {
    closeSync(copy);
  }
}

/** Copies the header and the frames of the log. SQLite ignores what follows the last whole commit. */
function copyLog(log: string, handle: number, target: string): void {
  const length = new LogLength(log);
  const end = length.readBytes();
  const copy = openSync(target, 'wx', 0o600);
  try {
    const chunk = Buffer.alloc(chunkBytes);
    for (let position = 0; position < end; ) {
      const read = readSync(handle, chunk, 0, Math.min(chunkBytes, end - position), position);
      if (read === 0) break;
      writeAll(copy, chunk.subarray(0, read), position);
      position += read;
    }
  } finally {
    closeSync(copy);
    length.close();
  }
}

function writeAll(handle: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(handle, bytes, written, bytes.length - written, position + written);
  }
}

/** The number that changes when the log restarts; undefined if the log has no header yet. Format: https://www.sqlite.org/fileformat2.html#walformat */
function readLogSalt(handle: number): string | undefined {
  const header = Buffer.alloc(32);
  return readSync(handle, header, 0, 32, 0) < 32 ? undefined : header.toString('hex', 16, 24);
}
