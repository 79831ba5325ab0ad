import { createReadStream, existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { listBackups } from './backup-directory.ts';
import { BackupError, manifestName } from './backup-manifest.ts';

/** A folder with a manifest, or an archive. */
export type BackupSource =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'archive'; readonly name: string; readonly open: () => Readable };

/**
 * Finds the backup that a path means: a backup, a directory of backups (the newest), an archive, or `-` for an archive on the standard input.
 *
 * @throws BackupError if there is none
 */
export function findBackup(path: string, stdin: Readable): BackupSource {
  if (path === '-') return { kind: 'archive', name: 'standard input', open: () => stdin };
  const place = resolve(path);
  const stats = statSync(place, { throwIfNoEntry: false });
  if (stats === undefined) throw new BackupError(`${place} does not exist.`);
  if (!stats.isDirectory()) return { kind: 'archive', name: place, open: () => createReadStream(place) };
  if (existsSync(join(place, manifestName))) return { kind: 'folder', folder: place };
  const [newest] = listBackups(place);
  if (newest === undefined) {
    throw new BackupError(
      `${place} holds no complete backup of Muster: it has no ${manifestName}, and no folder muster-backup-… with one.`,
    );
  }
  return { kind: 'folder', folder: newest.folder };
}
