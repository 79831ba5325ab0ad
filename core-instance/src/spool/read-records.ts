import { type ReadRecord, type RecordClass, readRecord, skipDamage } from './record-format.ts';

/** Reads bytes of a file; fewer at its end. */
export type ReadBytes = (position: number, length: number) => Promise<Buffer>;

interface FoundRecord {
  readonly recordClass: RecordClass;
  readonly payload: Buffer;
  /** Position behind the record. */
  readonly next: number;
}

export interface FoundRecords {
  readonly records: readonly FoundRecord[];
  readonly damage: Damage;
  /** Where to go on. */
  readonly next: number;
}

interface Damage {
  readonly bytes: number;
  /** Stretches of damaged bytes: each was one record or more. */
  readonly stretches: number;
}

const defaultWindowBytes = 256 * 1024;

/**
 * Reads the records of a part of a segment, about a quarter of a mebibyte at a time, so that memory does not depend on the size of the spool. What is
 * damaged or cut off is skipped and counted.
 */
export async function readRecords(
  read: ReadBytes,
  from: number,
  to: number,
  windowBytes = defaultWindowBytes,
): Promise<FoundRecords> {
  const bytes = await read(from, Math.min(windowBytes, to - from));
  const isEnd = from + bytes.length >= to || bytes.length === 0;
  const records: FoundRecord[] = [];
  let [damagedBytes, stretches, position] = [0, 0, 0];
  let isInDamage = false;
  while (position < bytes.length) {
    const found = readHere(bytes, position, isEnd, to - from);
    if (found.kind === 'cut') {
      if (position > 0) break;
      return readRecords(read, from, to, Math.max(found.wantedBytes, windowBytes * 2));
    }
    if (found.kind === 'damaged') {
      damagedBytes += found.next - position;
      if (!isInDamage) stretches += 1;
    } else {
      records.push({ recordClass: found.recordClass, payload: found.payload, next: from + found.next });
    }
    isInDamage = found.kind === 'damaged';
    position = found.next;
  }
  return {
    records,
    damage: { bytes: damagedBytes, stretches },
    next: bytes.length === 0 ? to : from + position,
  };
}

/** A record that would be longer than the file is damage: its length is wrong, or its end was never written. */
function readHere(bytes: Buffer, position: number, isEnd: boolean, allBytes: number): ReadRecord {
  const found = readRecord(bytes, position);
  const isCutForEver = found.kind === 'cut' && (isEnd || position + found.wantedBytes > allBytes);
  return isCutForEver ? skipDamage(bytes, position) : found;
}
