import { readRecords } from './read-records.ts';
import {
  encodeHeader,
  encodeRecord,
  formatVersion,
  headerBytes,
  type RecordClass,
  readVersion,
} from './record-format.ts';
import type { SpoolFiles } from './spool-files.ts';
import {
  type CountedItem,
  lastTimeOf,
  reportsIn,
  type SpooledError,
  type SpooledItem,
  timeOf,
} from './spooled-item.ts';

/** What is known of a segment without reading it. */
export interface Summary {
  /** Reports in its errors, with their counts. */
  readonly reports: number;
  /** Null: it is empty. */
  readonly oldestAt: number | null;
  readonly newestAt: number | null;
  /** True: equal errors in it are one already. */
  readonly isFolded: boolean;
}

export interface Segment {
  readonly number: number;
  /** Bytes that were written whole. */
  readonly bytes: number;
  readonly summary: Summary;
}

export const emptySummary: Summary = {
  reports: 0,
  oldestAt: null,
  newestAt: null,
  isFolded: false,
};

export function summarize(summary: Summary, item: CountedItem): Summary {
  return {
    reports: summary.reports + reportsIn(item),
    oldestAt: Math.min(summary.oldestAt ?? Number.POSITIVE_INFINITY, timeOf(item)),
    newestAt: Math.max(summary.newestAt ?? 0, lastTimeOf(item)),
    isFolded: false,
  };
}

export function nameOf(number: number): string {
  return `${String(number).padStart(10, '0')}.spool`;
}

/** Undefined for a file that is no segment. */
export function numberOf(name: string): number | undefined {
  const digits = /^(\d{10})\.spool$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function classOf(item: SpooledItem): RecordClass {
  return item.kind === 'error' ? 'error' : 'state';
}

export function encodeItem(item: SpooledItem): Buffer {
  return encodeRecord(classOf(item), JSON.stringify(item.kind === 'error' ? timesLast(item) : item));
}

function timesLast({ firstAt, lastAt, count, ...key }: SpooledError): SpooledError {
  return { ...key, firstAt, lastAt, count };
}

/** What equal errors have in common. A text cannot contain the separator, because its quotes are escaped. */
export function keyOfPayload(payload: Buffer): Buffer {
  return payload.subarray(0, payload.lastIndexOf(',"firstAt":'));
}

/** What was written has the form of its type; a payload is only read when its checksum is right. */
export function decodeItem(payload: Buffer): SpooledItem {
  return JSON.parse(payload.toString()) as SpooledItem;
}

/**
 * The end of an error alone, as timesLast wrote it. Its numbers are read from the bytes: a start reads a whole segment of them, and to parse each as JSON took
 * more time than everything else that a start does here.
 */
function decodeTimes(payload: Buffer): CountedItem {
  const count = numberBefore(payload, payload.length - '}'.length);
  const lastAt = numberBefore(payload, count.start - ',"count":'.length);
  const firstAt = numberBefore(payload, lastAt.start - ',"lastAt":'.length);
  return { kind: 'error', firstAt: firstAt.value, lastAt: lastAt.value, count: count.value };
}

/** The decimal digits that end before a place. */
function numberBefore(bytes: Buffer, end: number): { readonly value: number; readonly start: number } {
  let [value, factor, start] = [0, 1, end];
  for (; start > 0; start -= 1, factor *= 10) {
    const digit = (bytes[start - 1] ?? 0) - zero;
    if (digit < 0 || digit > 9) break;
    value += digit * factor;
  }
  return { value, start };
}

const zero = '0'.charCodeAt(0);

/** The bytes behind the last record of a complete segment: its summary, and the length of the record of the summary. */
export function encodeEnd(summary: Summary): Buffer {
  const record = encodeRecord('summary', JSON.stringify(summary));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(record.length);
  return Buffer.concat([record, length]);
}

export function encodeSegment(items: readonly SpooledItem[]): {
  chunks: Buffer[];
  segment: Omit<Segment, 'number'>;
} {
  const chunks = [encodeHeader()];
  let summary = emptySummary;
  for (const item of items) {
    const record = encodeItem(item);
    chunks.push(record);
    summary = summarize(summary, item);
  }
  summary = { ...summary, isFolded: true };
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  chunks.push(encodeEnd(summary));
  return { chunks, segment: { bytes, summary } };
}

export type OpenedSegment =
  | { readonly kind: 'segment'; readonly segment: Segment }
  /** Written by a newer version of this program. */
  | { readonly kind: 'newer'; readonly file: string; readonly version: number };

/**
 * Reads what is known of a segment: of a complete one its end alone, so that a full spool takes no time at the start. One that was not completed,
 * because the process was killed, is read from its beginning.
 */
export async function openSegment(files: SpoolFiles, number: number): Promise<OpenedSegment> {
  const name = nameOf(number);
  const size = await files.size(name);
  const version = readVersion(await files.read(name, 0, headerBytes));
  if (version !== undefined && version > formatVersion) return { kind: 'newer', file: name, version };
  return {
    kind: 'segment',
    segment: (await readEnd(files, number, size)) ?? (await scan(files, number, size)),
  };
}

async function readEnd(files: SpoolFiles, number: number, size: number): Promise<Segment | undefined> {
  const name = nameOf(number);
  if (size < headerBytes + 4) return undefined;
  const length = (await files.read(name, size - 4, 4)).readUInt32LE();
  const start = size - 4 - length;
  if (start < headerBytes || length > 1_024) return undefined;
  const { records } = await readRecords((...place) => files.read(name, ...place), start, size - 4);
  const [found] = records;
  if (found?.recordClass !== 'summary') return undefined;
  const summary = JSON.parse(found.payload.toString()) as Summary; // as encodeEnd wrote it: its checksum is right
  return { number, bytes: start, summary };
}

/** What follows the last whole record was being written when the process ended, so that nobody was told that it is kept. */
async function scan(files: SpoolFiles, number: number, size: number): Promise<Segment> {
  const name = nameOf(number);
  let summary = emptySummary;
  let bytes = headerBytes;
  for (let position = headerBytes; position < size; ) {
    const found = await readRecords((...place) => files.read(name, ...place), position, size);
    for (const { recordClass, payload, next } of found.records) {
      if (recordClass === 'summary') continue;
      const item = recordClass === 'error' ? decodeTimes(payload) : decodeItem(payload);
      summary = summarize(summary, item);
      bytes = next;
    }
    position = found.next;
  }
  return { number, bytes, summary };
}
