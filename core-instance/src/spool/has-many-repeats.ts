import { crc32 } from 'node:zlib';
import { readRecords } from './read-records.ts';
import { headerBytes } from './record-format.ts';
import { keyOfPayload, nameOf, type Segment } from './segment.ts';
import type { SpoolFiles } from './spool-files.ts';

/** Errors of which fewer than half are distinct are worth the rewriting of their segment. */
const worthwhileShare = 0.5;

/** True if folding a segment would make it much smaller. A few kilobytes are enough to know it, while folding takes those of every item. */
export async function hasManyRepeats(files: SpoolFiles, { number, bytes }: Segment): Promise<boolean> {
  const name = nameOf(number);
  const distinct = new Set<number>();
  let errors = 0;
  for (let position = headerBytes; position < bytes; ) {
    const found = await readRecords((...place) => files.read(name, ...place), position, bytes);
    for (const { recordClass, payload } of found.records) {
      if (recordClass !== 'error') continue;
      errors += 1;
      distinct.add(crc32(keyOfPayload(payload)));
    }
    position = found.next;
  }
  return distinct.size < errors * worthwhileShare;
}
