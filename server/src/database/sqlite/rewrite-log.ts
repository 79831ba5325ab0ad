import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';

const chunkBytes = 1024 * 1024;

/**
 * Writes what a log holds over itself, and has it synced.
 *
 * After a sync that failed, the kernel may keep what was written, take it for clean, and let the next sync
 * succeed without it. A process that starts then reads commits that the disk does not have, and would answer for
 * them. Bytes that are written once more are synced once more. The caller keeps others from writing meanwhile.
 *
 * @throws Error when the disk does not take it.
 */
export function rewriteLog(file: string): void {
  const log = openSync(file, 'r+');
  try {
    const chunk = Buffer.alloc(chunkBytes);
    for (let position = 0; ; ) {
      const read = readSync(log, chunk, 0, chunkBytes, position);
      if (read === 0) break;
      // As much as was taken: the rest comes with the next chunk.
      position += writeSync(log, chunk, 0, read, position);
    }
    fsyncSync(log);
  } finally {
    closeSync(log);
  }
}
