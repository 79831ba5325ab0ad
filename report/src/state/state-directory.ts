import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where state is kept when no directory is given: systemd's for the unit, else the user's (XDG Base Directory). */
export function defaultStateDirectory(env: NodeJS.ProcessEnv): string {
  const ofUnit = env.STATE_DIRECTORY?.split(':', 1)[0];
  if (ofUnit) return join(ofUnit, 'muster');
  const ofUser = env.XDG_STATE_HOME;
  // A relative path there is to be ignored.
  return join(ofUser?.startsWith('/') ? ofUser : join(homedir(), '.local', 'state'), 'muster');
}

/** Makes it and what is missing above it, for its owner alone. @throws the error of the file system */
export async function makeStateDirectory(directory: string): Promise<void> {
  // Not with `recursive`, which in some places, as below /proc, goes on for ever.
  if (await hasMade(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory) await makeStateDirectory(parent);
  await mkdir(directory, { mode: 0o700 }).catch(ignoreExisting);
}

/** False where the directory above is missing. */
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

/** Replaces a file as a whole, readable for its owner alone: whoever reads it sees the old text or the new one. */
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
