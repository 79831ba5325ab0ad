import { statfsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create, extract } from 'tar';
import { BackupError, type BackupManifest, manifestName } from './backup-manifest.ts';

/** Writes the files of a backup as a tar archive; the manifest comes first. */
export async function packBackup(folder: string, manifest: BackupManifest, output: Writable): Promise<void> {
  const names = [manifestName, ...manifest.files.map(({ name }) => name)];
  await pipeline(create({ cwd: folder, portable: true, noDirRecurse: true }, names), output);
}

/**
 * Writes the files of an archive into an empty folder, and nothing outside of it.
 *
 * @throws BackupError if it is not a whole archive, or if it has more than fits on the disk
 */
export async function unpackBackup(input: Readable, folder: string): Promise<void> {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  let needed = 0;
  try {
    await pipeline(
      input,
      extract({
        cwd: folder,
        strict: true,
        noChmod: true,
        umask: 0o077,
        // Regular files in the folder itself. A disk that an archive has filled stops every service on it, so its sizes are added up first.
        filter(path, entry) {
          if (!/^[a-z][\w.-]*$/.test(path) || !('type' in entry) || entry.type !== 'File') return false;
          needed += entry.size;
          if (needed <= free) return true;
          // An error that is thrown here would be lost in the parser.
          input.destroy(new BackupError(tooLarge(folder, needed, free)));
          return false;
        },
      }),
    );
  } catch (cause) {
    if (isSystemFailure(cause) || cause instanceof BackupError) throw cause;
    throw new BackupError(
      'The input is not a whole tar archive of a backup, as `muster backup -` writes it. If it is compressed, decompress it first.',
      { cause },
    );
  }
}

function tooLarge(folder: string, needed: number, free: number): string {
  return `The archive holds more than fits on the disk of ${folder}: at least ${needed} bytes, and ${free} are free. Nothing was restored. Free some space, or name a data directory on a larger disk.`;
}

function isSystemFailure(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
