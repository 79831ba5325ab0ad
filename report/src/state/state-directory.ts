import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The default directory for state: that of the systemd unit, else that of the user (XDG Base Directory). */
export function defaultStateDirectory(env: NodeJS.ProcessEnv): string {
  const ofUnit = env.STATE_DIRECTORY?.split(':', 1)[0];
  if (ofUnit) return join(ofUnit, 'muster');
  const ofUser = env.XDG_STATE_HOME;
  // The specification says to ignore a relative path.
  return join(ofUser?.startsWith('/') ? ofUser : join(homedir(), '.local', 'state'), 'muster');
}

/** Makes the directory and its missing parents, readable by their owner only. @throws the error of the file system */
export async function makeStateDirectory(directory: string): Promise<void> {
  // Not with `recursive`, which never ends in some places, such as below /proc.
  if (await hasMade(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory) await makeStateDirectory(parent);
  await mkdir(directory, { mode: 0o700 }).catch(ignoreExisting);
}

/** False when the parent directory is missing. */
async function hasMade(directory: string): Promise<boolean> {
  try {
    await mkdir(directory, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    ignoreExisting(error);
    return true;
  }
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Replaces a file in one step: readers see the old text or the new one. Only its owner can read it. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = temporaryNameOf(path);
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** A name beside the file that no other process uses. */
export function temporaryNameOf(path: string): string {
  return `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
}
