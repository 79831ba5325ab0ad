import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of a spool. Tests put faults between it and the disk. */
export interface SpoolFiles {
  /** Names of all files. */
  list(): Promise<readonly string[]>;
  size(name: string): Promise<number>;
  read(name: string, position: number, length: number): Promise<Buffer>;
  /** A new file to append to. It exists durably when this resolves. */
  create(name: string): Promise<AppendedFile>;
  /** Replaces a file in one step, durably. */
  replace(name: string, chunks: readonly Buffer[]): Promise<void>;
  remove(name: string): Promise<void>;
}

export interface AppendedFile {
  append(chunks: readonly Buffer[]): Promise<void>;
  /** Resolves when all that was appended is on the disk. */
  sync(): Promise<void>;
  truncate(bytes: number): Promise<void>;
  close(): Promise<void>;
}

/** The spool in a folder, which is created. Its files are readable by their owner only. @throws the error of the file system */
export async function openSpoolFolder(folder: string): Promise<SpoolFiles> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return {
    list: () => readdir(folder),
    size: (name) => withFile(join(folder, name), async (file) => (await file.stat()).size),
    read: (name, position, length) =>
      withFile(join(folder, name), async (file) => {
        const bytes = Buffer.allocUnsafe(length);
        const { bytesRead } = await file.read(bytes, 0, length, position);
        return bytes.subarray(0, bytesRead);
      }),
    async create(name) {
      const file = await open(join(folder, name), 'ax', 0o600);
      await syncFolder(folder);
      return {
        append: (chunks) => writeAll(file, chunks),
        sync: () => file.datasync(),
        truncate: (bytes) => file.truncate(bytes),
        close: () => file.close(),
      };
    },
    async replace(name, chunks) {
      const temporary = join(folder, `${name}.new`);
      const file = await open(temporary, 'w', 0o600);
      try {
        await writeAll(file, chunks);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, join(folder, name));
      await syncFolder(folder);
    },
    remove: (name) => rm(join(folder, name), { force: true }),
  };
}

async function withFile<Result>(path: string, use: (file: FileHandle) => Promise<Result>): Promise<Result> {
  const file = await open(path, 'r');
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** A short write is no failure of `writev`: the disk may be full behind it. */
async function writeAll(file: FileHandle, chunks: readonly Buffer[]): Promise<void> {
  const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  for (let written = 0; written < bytes.length; ) {
    written += (await file.write(bytes, written)).bytesWritten;
  }
}

/** A new name is on the disk only when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
