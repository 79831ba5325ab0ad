import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create, extract } from 'tar';
import { BackupError, type BackupManifest, manifestName } from './backup-manifest.ts';

/** Writes the files of a backup as a tar archive; the manifest comes first. */
export async function packBackup(folder: string, manifest: BackupManifest, output: Writable): Promise<void> {
  const names = [manifestName, ...manifest.files.map(({ name }) => name)];
  await pipeline(create({ cwd: folder, portable: true, noDirRecurse: true }, names), output);
}

/** Writes the files of an archive into an empty folder, and nothing outside of it. @throws BackupError if it is not a whole archive */
export async function unpackBackup(input: Readable, folder: string): Promise<void> {
  try {
    await pipeline(
      input,
      extract({
        cwd: folder,
        strict: true,
        noChmod: true,
        umask: 0o077,
        // Regular files in the folder itself.
        filter: (path, entry) => /^[a-z][\w.-]*$/.test(path) && 'type' in entry && entry.type === 'File',
      }),
    );
  } catch (cause) {
    if (isSystemFailure(cause)) throw cause;
    throw new BackupError(
      'The input is not a whole tar archive of a backup, as `muster backup -` writes it. If it is compressed, decompress it first.',
      { cause },
    );
  }
}

function isSystemFailure(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
