import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const maxBytes = 16_384;
const maxPipeMilliseconds = 5_000;
const retryMilliseconds = 50;

/** A clock and a wait, for reading from a pipe. */
export interface TokenFileClock {
  /** Milliseconds. */
  now(): number;
  wait(milliseconds: number): Promise<void>;
}

/**
 * Reads the file of --token-file on each call, because it may have been replaced. A pipe, as from `<(command)`, can be
 * read only once, so its token is remembered. A pipe that nobody writes to and a file without an end cannot block the
 * process: it gives up after 5 s or 16 KiB.
 *
 * @throws Error that names the flag
 */
export function tokenFileReader(file: string, clock: TokenFileClock = systemClock): () => Promise<string> {
  let ofPipe: string | undefined;
  return async () => {
    const handle = await openFile(file);
    try {
      const isFile = (await handle.stat()).isFile();
      const maxMilliseconds = ofPipe === undefined ? maxPipeMilliseconds : 0;
      const token = await readToken(file, handle, { isFile, maxMilliseconds, clock });
      if (!isFile && token !== undefined) ofPipe = token;
      const found = token ?? ofPipe;
      if (found !== undefined) return found;
    } finally {
      await handle.close();
    }
    throw new Error(
      `--token-file ${file} is a pipe or a device, and no line with a token has come from it within 5 s`,
    );
  };
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    // Non-blocking: does not wait for the writer of a pipe.
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(file, error);
  }
}

interface ReadOptions {
  readonly isFile: boolean;
  readonly maxMilliseconds: number;
  readonly clock: TokenFileClock;
}

/** The whole file; of a pipe or device, the first line. Undefined if no line arrives in time. */
async function readToken(
  file: string,
  handle: FileHandle,
  { isFile, maxMilliseconds, clock }: ReadOptions,
): Promise<string | undefined> {
  const bytes = Buffer.alloc(maxBytes + 1);
  const deadline = clock.now() + maxMilliseconds;
  let length = 0;
  for (;;) {
    const count = await readSome(file, handle, bytes.subarray(length));
    length += count ?? 0;
    const text = bytes.toString('utf8', 0, length);
    if (length > maxBytes) throw new Error(`--token-file ${file} is longer than 16 KiB, so it is no token`);
    if (count === 0 && (isFile || text.trim() !== '')) return text.trim();
    if (!isFile && /\S[^\n]*\n/.test(text)) return text.trimStart().split('\n', 1)[0]?.trim();
    if (count !== undefined && count > 0) continue;
    if (clock.now() >= deadline) return undefined;
    await clock.wait(retryMilliseconds);
  }
}

/** 0 at the end of the file and while no writer has opened the pipe; undefined if no data is available yet. */
async function readSome(file: string, handle: FileHandle, bytes: Buffer): Promise<number | undefined> {
  try {
    return (await handle.read(bytes, 0, bytes.length, null)).bytesRead;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(`--token-file ${file} cannot be read: ${reason}`, { cause: error });
}

const systemClock: TokenFileClock = {
  now: () => performance.now(),
  wait: (milliseconds) =>
    new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
    }),
};
