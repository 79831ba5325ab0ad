import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandError } from '../command-error.ts';
import { quoteForShell } from '../quote-for-shell.ts';

const ownerOnlyDirectory = 0o700;
const ownerOnlyFile = 0o600;

/** Bits of a mode that let the group or anybody else in. */
const othersBits = 0o077;

/** The text of a file; undefined where there is none. */
export async function readFileIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new CommandError('failed', `${file} cannot be read: ${reasonOf(error)}.`);
  }
}

/**
 * The text of a file with secrets; undefined where there is none.
 *
 * @throws CommandError when others can read or change it: what was in it may be known to them
 */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  const found = await stat(file).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw new CommandError('failed', `${file} cannot be read: ${reasonOf(error)}.`);
  });
  // Windows keeps such bits for no file.
  if (found !== undefined && process.platform !== 'win32' && (found.mode & othersBits) !== 0) {
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
    throw new CommandError(
      'failed',
      `${file} holds a secret, but others on this machine can open it (mode ${mode}), so it is not used.`,
      `Run: chmod 600 ${quoteForShell(file)}\nIf others may have read it, revoke that token and sign in with a new one.`,
    );
  }
  return found === undefined ? undefined : readFileIfThere(file);
}

/**
 * Writes a file that its owner alone can read, all of it or nothing: beside it first, then in its place. Makes the
 * directories above it.
 */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await makePrivateDirectory(dirname(file));
    const handle = await open(temporary, 'wx', ownerOnlyFile);
    try {
      // The umask may have taken from the mode, and never adds to it.
      await handle.chmod(ownerOnlyFile);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (error instanceof CommandError) throw error;
    throw new CommandError('failed', `${file} cannot be written: ${reasonOf(error)}.`);
  }
}

/** @returns whether there was one */
export async function removeFile(file: string): Promise<boolean> {
  try {
    await rm(file);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw new CommandError('failed', `${file} cannot be removed: ${reasonOf(error)}.`);
  }
}

async function makePrivateDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: ownerOnlyDirectory });
  const found = await lstat(directory);
  // One that was there before keeps its mode otherwise. A link to elsewhere is the user's own arrangement.
  if (found.isDirectory() && (found.mode & othersBits) !== 0) await chmod(directory, ownerOnlyDirectory);
}

function isMissing(error: unknown): boolean {
  return isSystemError(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** `EACCES: permission denied`, without the path and the call behind it. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, .*$/s, '') : String(error);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error;
}
