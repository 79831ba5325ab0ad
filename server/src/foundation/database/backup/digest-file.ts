import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { BackupPace } from './backup-pace.ts';

const chunkBytes = 1024 * 1024;

export interface FileDigest {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Number of line feeds. */
  readonly lines: number;
}

/** @param pace absent: without pauses */
export async function digestFile(file: string, pace?: BackupPace): Promise<FileDigest> {
  const digest = createHash('sha256');
  let bytes = 0;
  let lines = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes })) {
    const buffer = chunk as Buffer; // a stream without an encoding
    digest.update(buffer);
    bytes += buffer.length;
    for (let at = buffer.indexOf(10); at >= 0; at = buffer.indexOf(10, at + 1)) lines += 1;
    await pace?.rest();
  }
  return { bytes, sha256: digest.digest('hex'), lines };
}
