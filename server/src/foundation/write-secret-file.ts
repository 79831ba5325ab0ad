import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Secret } from './secret.ts';

/** Writes a secret to a file that only its owner can read. It is on the disk when this returns. Returns the path. */
export function writeSecretFile(directory: string, name: string, secret: Secret): string {
  const file = join(directory, name);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // The mode applies only to a new file, and a process that has an old file open could read the new secret.
  rmSync(file, { force: true });
  writeFileSync(file, `${secret.reveal()}\n`, { mode: 0o600, flag: 'wx', flush: true });
  giveToOwner(directory, file);
  return file;
}

/** What root puts into the data directory of a service belongs to the user of the service, whom the directory belongs to: otherwise it could not open it. */
export function giveToOwner(dataDirectory: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dataDirectory);
  chownSync(path, uid, gid);
}
