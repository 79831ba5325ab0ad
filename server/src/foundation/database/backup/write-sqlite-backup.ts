import { existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteFileName } from '../sqlite/open-sqlite.ts';
import { BackupError, type BackupFile } from './backup-manifest.ts';
import type { BackupPace } from './backup-pace.ts';
import { copyDatabaseFile } from './copy-database-file.ts';
import { digestFile } from './digest-file.ts';
import { type DatabaseFacts, inspectDatabaseFile, mergeLog } from './inspect-database-file.ts';
import { syncFile } from './sync-file.ts';

/** What was written into the folder of a backup. */
export interface BackupContent extends DatabaseFacts {
  readonly files: readonly BackupFile[];
}

/** Room for the copy of the log and for what is written meanwhile. */
const spareBytes = 128 * 1024 * 1024;

/** Writes a checked copy of an embedded database into a folder. @throws BackupError if there is none, or it is damaged, or the disk has no room */
export async function writeSqliteBackup(
  dataDirectory: string,
  folder: string,
  options: {
    readonly pace: BackupPace;
    /** Size of the write-ahead log in bytes that it should not reach before the copy has ended. */
    readonly maxLogBytes: number;
    readonly onProgress: (doneBytes: number, totalBytes: number) => void;
  },
): Promise<BackupContent> {
  const { pace } = options;
  const source = join(dataDirectory, sqliteFileName);
  if (!existsSync(source)) {
    throw new BackupError(
      `There is no embedded database in ${dataDirectory}: it has no ${sqliteFileName}. Name the data directory of the service with MUSTER_DATA_DIR, or its PostgreSQL database with DATABASE_URL.`,
    );
  }
  requireRoom(source, folder);
  const target = join(folder, sqliteFileName);
  const facts = await explainingDamage(source, async () => {
    await copyDatabaseFile(source, target, options);
    mergeLog(target);
    await pace.rest();
    return inspectDatabaseFile(target, pace);
  });
  syncFile(target);
  const { bytes, sha256 } = await digestFile(target, pace);
  return { ...facts, files: [{ name: sqliteFileName, bytes, sha256 }] };
}

/** A backup of a damaged database must not replace an earlier one. */
async function explainingDamage<Result>(source: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error) || !/malformed|not a database| is damaged: /.test(cause.message))
      throw cause;
    throw new BackupError(
      `${source} is damaged, so no backup was made. Earlier backups are unchanged. Stop Muster, keep a copy of the data directory, and restore the newest backup that \`muster backup --verify\` finds whole.`,
      { cause },
    );
  }
}

function requireRoom(source: string, folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  const neededBytes =
    statSync(source).size + (statSync(`${source}-wal`, { throwIfNoEntry: false })?.size ?? 0) + spareBytes;
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes) return;
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  throw new BackupError(
    `The disk has not enough room for a backup in ${folder}: it needs ${gigabytes(neededBytes)}, and ${gigabytes(freeBytes)} are free. Free some space, keep fewer backups, or name a directory on another disk. Earlier backups are unchanged.`,
  );
}
