import { randomInt } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { spoolName } from './spool.ts';
import { isRunning, type SpoolOwner } from './spool-owner.ts';
import { parseSpool, type SpooledError } from './spooled-error.ts';

/** Of a larger file, only the end is read. */
const maxBytes = 2 * 1_048_576;

/** Errors that earlier processes could not send. */
export interface Leftovers {
  readonly errors: readonly SpooledError[];
  /** Removes their files. Call it once the errors are kept elsewhere or sent. */
  discard(): Promise<void>;
}

/**
 * Takes over the spools of processes that have ended, and keeps other processes from doing the same. The spool of a
 * running process is not touched. Missing or unreadable files and directories are ignored, and stay for a later process.
 *
 * @param keys the one that they get, and the one of earlier versions
 */
export async function claimLeftovers(
  directory: string,
  keys: readonly [string, string],
  owner: SpoolOwner,
): Promise<Leftovers> {
  const names = await readdir(directory).catch((): string[] => []);
  const claimed: string[] = [];
  const errors: SpooledError[] = [];
  for (const name of names.sort()) {
    const left = readOwner(keys, name);
    if (left === undefined || (await isRunning(left))) continue;
    const path = await claim(directory, name, spoolName(`${keys[0]}.${randomInt(1_000_000_000)}`, owner));
    if (path === undefined) continue;
    const text = await readEnd(path).catch(() => undefined);
    if (text === undefined) continue;
    claimed.push(path);
    errors.push(...parseSpool(text));
  }
  let removed: Promise<unknown> | undefined;
  return {
    errors,
    async discard() {
      removed ??= Promise.all(claimed.map((path) => rm(path, { force: true }).catch(() => undefined)));
      await removed;
    },
  };
}

function readOwner(keys: readonly string[], name: string): SpoolOwner | undefined {
  const key = keys.find((one) => name.startsWith(`${one}.`));
  if (key === undefined) return undefined;
  const [, pid, startedAt] = /^(?:\d+\.)?(\d+)-(\d+)\.spool$/.exec(name.slice(key.length + 1)) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), startedAt: Number(startedAt) };
}

/** Undefined when another process was faster. */
async function claim(directory: string, name: string, claimedName: string): Promise<string | undefined> {
  const path = join(directory, claimedName);
  try {
    await rename(join(directory, name), path);
    return path;
  } catch {
    return undefined;
  }
}

async function readEnd(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, maxBytes));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, Math.max(0, size - maxBytes));
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
