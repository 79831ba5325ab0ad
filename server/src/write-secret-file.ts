import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Secret } from './secret.ts';

/** Writes a secret to a file that its owner alone can read, on the disk when this returns; answers its path. */
export function writeSecretFile(directory: string, name: string, secret: Secret): string {
  const file = join(directory, name);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // The mode holds for a new file only, and whoever has an existing file open would read the new secret.
  rmSync(file, { force: true });
  writeFileSync(file, `${secret.reveal()}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return file;
}
