import { crc32 } from 'node:zlib';

/**
 * A segment is a file of records behind a header.
 *
 * header   `MUSTERSPOOL\0`, version of the format (2 bytes), two bytes of zero
 * record   marker (4 bytes), class (1 byte), length of the payload (4 bytes), checksum (4 bytes), payload (JSON in UTF-8)
 *
 * Numbers are little-endian. The checksum is the CRC-32 (ISO 3309) of class, length and payload: the one that Node computes natively on every version
 * that runs this. The marker has bytes that UTF-8 never has, so that the next record is found behind a damaged one.
 */
const magic = Buffer.from('MUSTERSPOOL\0', 'latin1');
const marker = Buffer.from([0xff, 0x4d, 0x52, 0xfe]);

export const formatVersion = 1;
export const headerBytes = magic.length + 4;
const recordHeadBytes = marker.length + 9;

/** Larger than any request that is accepted. A length beyond it is damage. */
const maxPayloadBytes = 16 * 1024 * 1024;

const classes = { error: 0x45, state: 0x53, summary: 0x46 } as const;

/** `summary` ends a complete segment. */
export type RecordClass = keyof typeof classes;

const classOfByte = new Map<number, RecordClass>(
  Object.entries(classes).map(([name, byte]) => [byte, name as RecordClass]), // the keys of the table
);

export function encodeHeader(): Buffer {
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header.writeUInt16LE(formatVersion, magic.length);
  return header;
}

/** The version of the format of a segment; undefined if its header is damaged. */
export function readVersion(header: Buffer): number | undefined {
  if (header.length < headerBytes || !header.subarray(0, magic.length).equals(magic)) return undefined;
  return header.readUInt16LE(magic.length);
}

export function encodeRecord(recordClass: RecordClass, payload: string): Buffer {
  const length = Buffer.byteLength(payload);
  const record = Buffer.allocUnsafe(recordHeadBytes + length);
  marker.copy(record);
  record[marker.length] = classes[recordClass];
  record.writeUInt32LE(length, marker.length + 1);
  record.write(payload, recordHeadBytes);
  record.writeUInt32LE(checksumOf(record), marker.length + 5);
  return record;
}

/** Of a whole record, beginning with its marker. */
function checksumOf(record: Buffer): number {
  const checksum = crc32(record.subarray(marker.length, marker.length + 5));
  return crc32(record.subarray(recordHeadBytes), checksum);
}

export type ReadRecord =
  | {
      readonly kind: 'record';
      readonly recordClass: RecordClass;
      readonly payload: Buffer;
      readonly next: number;
    }
  /** The bytes end within the record. */
  | { readonly kind: 'cut'; readonly wantedBytes: number }
  /** `next`: where the next record may begin. */
  | { readonly kind: 'damaged'; readonly next: number };

/** Reads the record that begins at a position. */
export function readRecord(bytes: Buffer, position: number): ReadRecord {
  const rest = bytes.length - position;
  const begins = marker.subarray(0, rest).equals(bytes.subarray(position, position + marker.length));
  if (!begins) return skipDamage(bytes, position);
  if (rest < recordHeadBytes) return { kind: 'cut', wantedBytes: recordHeadBytes };
  const recordClass = classOfByte.get(bytes[position + marker.length] ?? 0);
  const length = bytes.readUInt32LE(position + marker.length + 1);
  if (recordClass === undefined || length > maxPayloadBytes) return skipDamage(bytes, position);
  const next = position + recordHeadBytes + length;
  if (next > bytes.length) return { kind: 'cut', wantedBytes: next - position };
  const record = bytes.subarray(position, next);
  if (record.readUInt32LE(marker.length + 5) !== checksumOf(record)) return skipDamage(bytes, position);
  return { kind: 'record', recordClass, payload: record.subarray(recordHeadBytes), next };
}

/** The marker behind a position; else the last bytes, which may be the beginning of one. */
export function skipDamage(bytes: Buffer, position: number): ReadRecord {
  const found = bytes.indexOf(marker, position + 1);
  return {
    kind: 'damaged',
    next: found >= 0 ? found : Math.max(position + 1, bytes.length - marker.length + 1),
  };
}
