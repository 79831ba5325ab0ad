import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';

const chunkBytes = 1024 * 1024;

/**
 * Rewrites the content of a log in place, and syncs it.
 *
 * After a failed sync, the kernel may keep the written pages, mark them clean, and let the next sync succeed without writing them. A process that
 * starts then would read and acknowledge commits that are not on the disk. Bytes that are rewritten are synced again. The caller must prevent writes
 * meanwhile.
 *
 * @throws Error if the disk does not accept it.
 */
export function rewriteLog(file: string): void {
  const log = openSync(file, 'r+');
  try {
    const chunk = Buffer.alloc(chunkBytes);
    for (let position = 0; ; ) {
      const read = readSync(log, chunk, 0, chunkBytes, position);
      if (read === 0) break;
      // A partial write: the rest is written with the next chunk.
      position += writeSync(log, chunk, 0, read, position);
    }
    fsyncSync(log);
  } finally {
    closeSync(log);
  }
}
