import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import type { Clock } from '../../clock.ts';
import {
  completeBackup,
  lockOf,
  makePartialFolder,
  removePartialBackups,
  rotateBackups,
} from './backup-directory.ts';
import { type BackupLock, backupLockName, takeBackupLock } from './backup-lock.ts';
import { BackupError, type BackupManifest, formatManifest, manifestName } from './backup-manifest.ts';
import { BackupPace, type PaceTime } from './backup-pace.ts';
import { packBackup } from './pack-backup.ts';
import { writePostgresBackup } from './write-postgres-backup.ts';
import { writeSqliteBackup } from './write-sqlite-backup.ts';

export interface BackupOptions {
  readonly dataDirectory: string;
  /** Undefined: the embedded database in the data directory. */
  readonly databaseUrl: string | undefined;
  readonly clock: Clock;
  readonly musterVersion: string;
  readonly pace: {
    /** Pause after each portion as a multiple of the time that the portion took; 0: none. */
    readonly pauseFactor: number;
    /** Size of the write-ahead log of an embedded database in bytes that it should not reach before the copy has ended. */
    readonly maxLogBytes: number;
    /** Absent: that of the process. */
    readonly time?: PaceTime;
  };
  /** @param share of the data that is copied, from 0 to 1; undefined if it is not known */
  readonly onProgress?: (what: string, share: number | undefined) => void;
}

export interface CompletedBackup {
  readonly folder: string;
  readonly manifest: BackupManifest;
  /** Older backups that were removed. */
  readonly removed: readonly string[];
}

/**
 * Writes a backup into a directory of backups. It has its name only when it is complete and on the disk.
 *
 * @param keep number of backups to keep; undefined: all
 * @throws BackupError, or another Error; then nothing half-written has the name of a backup
 */
export async function backupToDirectory(
  options: BackupOptions & { readonly directory: string; readonly keep: number | undefined },
): Promise<CompletedBackup> {
  const directory = resolve(options.directory);
  return withLocks(options, directory, async () => {
    removePartialBackups(directory);
    const createdAt = options.clock();
    const partial = makePartialFolder(directory, createdAt);
    return discardingOnFailure(directory, partial, async () => {
      const manifest = await writeBackup(options, partial, createdAt);
      const folder = completeBackup(directory, partial, createdAt);
      const removed =
        options.keep === undefined ? [] : rotateBackups(directory, options.keep, manifest.installationID);
      return { folder, manifest, removed };
    });
  });
}

/** Writes a backup as a tar archive. It needs room for the backup in the data directory, because the manifest comes first. */
export async function backupToStream(
  options: BackupOptions & { readonly output: Writable },
): Promise<BackupManifest> {
  const directory = resolve(options.dataDirectory);
  return withLocks(options, directory, async () => {
    removePartialBackups(directory);
    const createdAt = options.clock();
    const partial = makePartialFolder(directory, createdAt);
    return discardingOnFailure(directory, partial, async () => {
      const manifest = await writeBackup(options, partial, createdAt);
      await packBackup(partial, manifest, options.output);
      rmSync(partial, { recursive: true });
      return manifest;
    });
  });
}

async function writeBackup(
  options: BackupOptions,
  folder: string,
  createdAt: number,
): Promise<BackupManifest> {
  const { databaseUrl, dataDirectory, musterVersion, onProgress = () => undefined } = options;
  const { pauseFactor, maxLogBytes, time } = options.pace;
  const pace = new BackupPace(pauseFactor, time);
  const content =
    databaseUrl === undefined
      ? await writeSqliteBackup(dataDirectory, folder, {
          pace,
          maxLogBytes,
          onProgress: (done, total) => onProgress('muster.db', total === 0 ? 1 : done / total),
        })
      : await writePostgresBackup(databaseUrl, folder, {
          pace,
          onTable: (table) => onProgress(table, undefined),
        });
  const manifest: BackupManifest = {
    createdAt: new Date(createdAt).toISOString(),
    musterVersion,
    engine: databaseUrl === undefined ? 'sqlite' : 'postgres',
    ...content,
  };
  writeFileSync(join(folder, manifestName), formatManifest(manifest), {
    flag: 'wx',
    mode: 0o600,
    flush: true,
  });
  return manifest;
}

/** One backup at a time, in a directory and of an embedded database. */
async function withLocks<Result>(
  { dataDirectory, databaseUrl }: BackupOptions,
  directory: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const files = [lockOf(directory)];
  const hasData = statSync(dataDirectory, { throwIfNoEntry: false })?.isDirectory() === true;
  if (databaseUrl === undefined && hasData) files.push(join(dataDirectory, backupLockName));
  const locks: BackupLock[] = [];
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const file of files) {
      const lock = takeBackupLock(file);
      if (lock === undefined) {
        throw new BackupError(
          `Another backup is being written: a process holds ${file}. Wait until it has ended. Nothing was changed.`,
        );
      }
      locks.push(lock);
    }
    return await work();
  } catch (error) {
    throw explainFailure(directory, error);
  } finally {
    for (const lock of locks) lock.release();
  }
}

async function discardingOnFailure<Result>(
  directory: string,
  partial: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw explainFailure(directory, error);
  }
}

const advice: Readonly<Record<string, string>> = {
  ENOSPC: 'Its disk is full: free some space, keep fewer backups, or name a directory on another disk.',
  EDQUOT: 'The quota of this user is used up: free some space, or name a directory on another disk.',
  EACCES: 'Let this user write to it, or run the command as the user of the service.',
  EPERM: 'Let this user write to it, or run the command as the user of the service.',
  EROFS: 'Its file system is read-only: name another directory.',
  EIO: "Its disk fails: the system's log says more. Name a directory on another disk.",
};

function explainFailure(directory: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const todo = advice[code];
  if (todo === undefined) return error;
  return new BackupError(
    `The backup could not be written to ${directory}. ${todo} Earlier backups are unchanged, and nothing half-written was kept.`,
    { cause: error },
  );
}
