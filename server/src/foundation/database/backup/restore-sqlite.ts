import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '../../clock.ts';
import { giveToOwner } from '../../write-secret-file.ts';
import {
  type DataDirectoryLock,
  lockDataDirectory,
  lockFileName,
} from '../data-directory/lock-data-directory.ts';
import { loadSqliteDriver } from '../sqlite/load-driver.ts';
import { sqliteFileName } from '../sqlite/open-sqlite.ts';
import { BackupError, type BackupManifest } from './backup-manifest.ts';
import { digestFile } from './digest-file.ts';
import { syncFile, syncFolder } from './sync-file.ts';

interface SqliteRestore {
  readonly dataDirectory: string;
  /** A verified backup. */
  readonly folder: string;
  readonly manifest: BackupManifest;
  readonly replace: boolean;
  readonly clock: Clock;
}

/** What happened to the installation that was there before. */
export interface ReplacedFiles {
  /** The folder with its files; undefined if there was none. */
  readonly putAside: string | undefined;
}

/** The database and its log. A log that stays beside another database damages it. */
const databaseFiles = [
  `${sqliteFileName}-wal`,
  `${sqliteFileName}-shm`,
  `${sqliteFileName}-journal`,
  sqliteFileName,
];

/**
 * Puts the database of a verified backup into a data directory. A crash leaves either the former database in its place, or no database, so that the
 * service does not start and says so, or the restored one.
 */
export async function restoreSqlite({
  dataDirectory: given,
  folder,
  manifest,
  replace,
  clock,
}: SqliteRestore): Promise<ReplacedFiles> {
  const dataDirectory = resolve(given);
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const lock = lockForRestore(dataDirectory);
  giveToOwner(dataDirectory, join(dataDirectory, lockFileName));
  const staged = join(dataDirectory, `.${sqliteFileName}.restoring`);
  try {
    const existing = databaseFiles.filter((name) => existsSync(join(dataDirectory, name)));
    if (existing.length > 0 && !replace) {
      throw new BackupError(
        `${dataDirectory} is not empty: it holds ${existing.join(', ')} of an installation. Nothing was changed. Name another directory with MUSTER_DATA_DIR, or add --replace, which puts these files into a folder of their own.`,
      );
    }
    rmSync(staged, { force: true });
    copyFileSync(join(folder, sqliteFileName), staged);
    await expectSameFile(staged, manifest);
    giveToOwner(dataDirectory, staged);
    syncFile(staged);
    const putAside = existing.length === 0 ? undefined : putFilesAside(dataDirectory, existing, clock);
    renameSync(staged, join(dataDirectory, sqliteFileName));
    syncFolder(dataDirectory);
    lock.noteDatabase();
    return { putAside };
  } finally {
    rmSync(staged, { force: true });
    lock.release();
  }
}

/** Whether an access token with this digest is not revoked. */
export function isTokenOnSqlite(file: string, digest: string): boolean {
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(file);
  try {
    const sql = 'SELECT 1 FROM access_tokens WHERE digest = ? AND revoked_at IS NULL';
    return connection.prepare(sql).get(digest) !== undefined;
  } finally {
    connection.close();
  }
}

function lockForRestore(dataDirectory: string): DataDirectoryLock {
  try {
    return lockDataDirectory(dataDirectory);
  } catch (cause) {
    throw new BackupError(
      `Nothing was restored, because a running Muster uses ${dataDirectory}. Stop it first.`,
      { cause },
    );
  }
}

async function expectSameFile(staged: string, { files }: BackupManifest): Promise<void> {
  const { sha256 } = await digestFile(staged);
  if (files.some((file) => file.name === sqliteFileName && file.sha256 === sha256)) return;
  throw new BackupError(
    `${staged} is not what was copied to it: its disk has changed the data. Nothing was restored. Use another disk.`,
  );
}

/** The database first: without its log, it would be a database that has lost its last commits. */
function putFilesAside(dataDirectory: string, names: readonly string[], clock: Clock): string {
  const time = new Date(clock()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  let folder = join(dataDirectory, `before-restore-${time}`);
  for (let number = 2; existsSync(folder); number += 1) {
    folder = join(dataDirectory, `before-restore-${time}-${number}`);
  }
  mkdirSync(folder, { mode: 0o700 });
  giveToOwner(dataDirectory, folder);
  for (const name of [sqliteFileName, ...names.filter((one) => one !== sqliteFileName)]) {
    if (names.includes(name)) renameSync(join(dataDirectory, name), join(folder, name));
  }
  syncFolder(folder);
  syncFolder(dataDirectory);
  return folder;
}
