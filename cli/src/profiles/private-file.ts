import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { quoteForShell } from '@muster/contract';
import { CommandError } from '../command-error.ts';

const ownerOnlyDirectory = 0o700;
const ownerOnlyFile = 0o600;

/** Mode bits that give access to the group or to others. */
const othersBits = 0o077;

/** Reads a file; undefined if it does not exist. */
export async function readFileIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new CommandError('failed', `${file} cannot be read: ${reasonOf(error)}.`);
  }
}

/**
 * Reads a file with secrets; undefined if it does not exist.
 *
 * @throws CommandError when others can read or change it, because they may know its content
 */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  const found = await stat(file).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw new CommandError('failed', `${file} cannot be read: ${reasonOf(error)}.`);
  });
  // Windows does not store these mode bits.
  if (found !== undefined && process.platform !== 'win32' && (found.mode & othersBits) !== 0) {
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
    throw new CommandError(
      'failed',
      `${file} holds a secret, but other users of this machine can open it (mode ${mode}), so it is not used.`,
      `Run: chmod 600 ${quoteForShell(file)}\nIf others may have read it, revoke that token and sign in with a new one.`,
    );
  }
  return found === undefined ? undefined : readFileIfThere(file);
}

/**
 * Writes a file that only its owner can read, atomically: to a temporary file beside it, which then replaces it.
 * Creates missing directories. Makes its directory private too, unless that has files for others.
 */
export async function writePrivateFile(
  file: string,
  text: string,
  { hasFilesForOthers = false }: { readonly hasFilesForOthers?: boolean } = {},
): Promise<void> {
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    if (hasFilesForOthers) await mkdir(dirname(file), { recursive: true });
    else await makePrivateDirectory(dirname(file));
    const handle = await open(temporary, 'wx', ownerOnlyFile);
    try {
      // The umask may have removed bits from the mode; it never adds any.
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

/** @returns whether the file existed */
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
  // An existing directory keeps its mode otherwise. If it is a link, the user made it so.
  if (found.isDirectory() && (found.mode & othersBits) !== 0) await chmod(directory, ownerOnlyDirectory);
}

function isMissing(error: unknown): boolean {
  return isSystemError(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** `EACCES: permission denied`, without the path and the system call. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, .*$/s, '') : String(error);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error;
}
