import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BackupError, type BackupManifest, readManifest } from './backup-manifest.ts';
import { syncFolder } from './sync-file.ts';

/** A complete backup in a directory of backups. Its data may be damaged: only its manifest was read. */
export interface StoredBackup {
  readonly folder: string;
  readonly manifest: BackupManifest;
}

const namePattern = /^muster-backup-\d{8}T\d{6}Z(-\d+)?$/;
/** A backup that is being written or removed. Hidden, so that nobody takes it for a backup. */
const partialPattern = /^\.muster-backup-.*\.partial$/;
const lockName = '.muster-backup.lock';

export function lockOf(directory: string): string {
  return join(directory, lockName);
}

/**
 * The complete backups, newest first. Empty if the directory does not exist.
 *
 * @param installationID absent: also those of other installations
 */
export function listBackups(directory: string, installationID?: string): StoredBackup[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => namePattern.test(name))
    .flatMap((name) => readBackup(join(directory, name)))
    .filter(({ manifest }) => installationID === undefined || manifest.installationID === installationID)
    .sort((one, other) => (isNewer(one, other) ? -1 : 1));
}

function readBackup(folder: string): StoredBackup[] {
  try {
    return [{ folder, manifest: readManifest(folder) }];
  } catch (error) {
    if (error instanceof BackupError) return [];
    throw error;
  }
}

function isNewer(one: StoredBackup, other: StoredBackup): boolean {
  const [here, there] = [one, other].map(({ manifest }) => Date.parse(manifest.createdAt));
  return here === there ? one.folder > other.folder : Number(here) > Number(there);
}

/** Removes what a killed process left. The caller holds the lock of the directory. */
export function removePartialBackups(directory: string): void {
  for (const name of readdirSync(directory).filter((found) => partialPattern.test(found))) {
    rmSync(join(directory, name), { recursive: true, force: true });
  }
}

/** Makes the folder into which a backup is written. It is private to its owner. */
export function makePartialFolder(directory: string, createdAt: number): string {
  const folder = join(directory, `.${nameOf(createdAt)}.partial`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Gives a written folder its name in one step that a crash cannot halve. Returns its path. */
export function completeBackup(directory: string, partial: string, createdAt: number): string {
  syncFolder(partial);
  const name = nameOf(createdAt);
  let folder = join(directory, name);
  for (let number = 2; existsSync(folder); number += 1) folder = join(directory, `${name}-${number}`);
  renameSync(partial, folder);
  syncFolder(directory);
  return folder;
}

/**
 * Removes all but the newest backups of an installation. Backups of other installations in the same directory stay.
 *
 * @returns the removed folders
 */
export function rotateBackups(directory: string, keep: number, installationID: string): string[] {
  const surplus = listBackups(directory, installationID)
    .slice(keep)
    .map(({ folder }) => folder);
  for (const folder of surplus) {
    // Under another name first: a process that is killed in between must not leave half a backup.
    const partial = join(directory, `.${folder.slice(directory.length + 1)}.partial`);
    renameSync(folder, partial);
    rmSync(partial, { recursive: true, force: true });
  }
  return surplus;
}

/** Example: `muster-backup-20261122T031500Z`. */
function nameOf(createdAt: number): string {
  const time = new Date(createdAt).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `muster-backup-${time}`;
}
