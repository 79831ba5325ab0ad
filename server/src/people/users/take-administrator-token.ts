import { lstat, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isWellFormedToken } from '@muster/contract';
import { Secret } from '../../foundation/secret.ts';

/** `muster admin reset-token` writes the new token here, beside a running service, and waits until the file has its usual name. */
export const newAdminTokenName = 'admin-token.new';
export const adminTokenName = 'admin-token';

interface TakeAdministratorTokenOptions {
  readonly dataDirectory: string;
  /** Makes it the administrator's token for every request from now on. */
  readonly setToken: (secret: Secret) => Promise<void>;
  readonly onReset: () => void;
}

const ofOthers = 0o077;

/**
 * Takes over a new administrator's token that an operator with access to the data directory has left there. With the embedded database, only the process of
 * the service changes it, so that what it remembers of credentials stays right.
 */
export async function takeAdministratorToken({
  dataDirectory,
  setToken,
  onReset,
}: TakeAdministratorTokenOptions): Promise<void> {
  const file = join(dataDirectory, newAdminTokenName);
  if (!(await isPrivate(file))) return;
  const value = (await readFile(file, 'utf8')).trim();
  // It is still being written.
  if (!isWellFormedToken('access', value)) return;
  await setToken(new Secret(value));
  // Only now, because the command that waits for this says that the token is valid.
  await rename(file, join(dataDirectory, adminTokenName));
  onReset();
}

/** Whether it is a file that only the user of this process can have written. */
async function isPrivate(file: string): Promise<boolean> {
  try {
    const stats = await lstat(file);
    if (!stats.isFile()) return false;
    if (process.platform === 'win32') return true;
    return (stats.mode & ofOthers) === 0 && [0, process.getuid?.()].includes(stats.uid);
  } catch {
    return false;
  }
}
