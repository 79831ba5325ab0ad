import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const maxBytes = 16_384;
const maxPipeMilliseconds = 5_000;
const retryMilliseconds = 50;

/** How a wait for a pipe is measured. */
export interface TokenFileClock {
  /** Milliseconds. */
  now(): number;
  wait(milliseconds: number): Promise<void>;
}

/**
 * Reads the file of --token-file each time it is called, since it may have been replaced. A pipe, such as that of
 * `<(command)`, can be read only once: its token is remembered. Neither a pipe that nobody writes to nor a file without
 * an end holds up the process: it gives up after 5 s or 16 KiB.
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
    // Without waiting for one who writes into a pipe.
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

/** The whole file; of anything else, the first line. Undefined where none has come in time. */
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

/** 0 at the end, also while nobody has opened a pipe for writing; undefined where nothing has come yet. */
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
