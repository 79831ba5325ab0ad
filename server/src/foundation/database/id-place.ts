import { idWords, readID } from '../packed/id-words.ts';

/**
 * The place (row key) of a UUIDv7 in a table that is ordered by time, so that a look-up by id needs no index.
 *
 * A place is 44 bits of milliseconds and 19 bits of sequence: the time of the id (RFC 9562, section 5.7), and the sequence that `createNewID` writes
 * after it. Ascending ids have ascending places, and the place is computed from the id. The remaining information is in the column `id_rest`: 42
 * random bits, then the carry of a sequence of more than 19 bits into the milliseconds (13 bits), then the number of places by which the row was
 * moved because another row had its place (3 bits).
 */
export interface IDPlace {
  readonly place: bigint;
  readonly rest: bigint;
}

const sequenceBits = 19n;
const randomBits = 42n;
const carryBits = 13n;
const movedBits = 3n;
const movedShift = randomBits + carryBits;
/** Maximum number of places by which a row may have been moved. */
export const maxMoved = (1 << Number(movedBits)) - 1;
/** In the year 2527, which leaves room for the carry. */
const firstMillisecondBeyond = 2 ** 44 - 2 ** Number(carryBits);

/** Used only within one call. */
const words = new Uint32Array(idWords);
const halves = new DataView(new ArrayBuffer(8));

/** Undefined if the id is not a lower-case UUIDv7 of this age, so that no row can have it. */
export function placeOfID(id: string): IDPlace | undefined {
  return readID(id, words) ? placeOfWords(words, 0) : undefined;
}

/** The same of an id in four words (id-words.ts). */
export function placeOfWords(id: Uint32Array, at: number): IDPlace | undefined {
  const [second = 0, third = 0, fourth = 0] = [id[at + 1], id[at + 2], id[at + 3]];
  const milliseconds = timeOfWords(id, at);
  const isUuidV7 = ((second >>> 12) & 0xf) === 7 && third >>> 30 === 2;
  if (!isUuidV7 || milliseconds >= firstMillisecondBeyond) return undefined;
  const sequence = (second & 0xfff) * 2 ** 20 + ((third >>> 16) & 0x3fff) * 2 ** 6 + ((third >>> 10) & 0x3f);
  const carry = Math.floor(sequence / 2 ** 19);
  const carried = milliseconds + carry;
  return {
    place: bigIntOf(Math.floor(carried / 2 ** 13), (carried % 2 ** 13) * 2 ** 19 + (sequence % 2 ** 19)),
    rest: bigIntOf(carry * 2 ** 10 + (third & 0x3ff), fourth),
  };
}

/** The time in an id of four words, in milliseconds. */
export function timeOfWords(id: Uint32Array, at: number): number {
  return (id[at] ?? 0) * 2 ** 16 + ((id[at + 1] ?? 0) >>> 16);
}

/** Of two halves of 32 bits. */
function bigIntOf(high: number, low: number): bigint {
  halves.setUint32(0, high);
  halves.setUint32(4, low);
  return halves.getBigInt64(0);
}

/** The id of the row at a place. */
export function idAtPlace({ place, rest }: IDPlace): string {
  const carry = (rest >> randomBits) & ((1n << carryBits) - 1n);
  const own = place - (rest >> movedShift);
  const milliseconds = (own >> sequenceBits) - carry;
  const sequence = (carry << sequenceBits) | (own & ((1n << sequenceBits) - 1n));
  const random = rest & ((1n << randomBits) - 1n);
  const time = hex(milliseconds, 12);
  const high = hex(0x7000n | (sequence >> 20n), 4);
  const middle = hex(0x8000n | ((sequence >> 6n) & 0x3fffn), 4);
  return `${time.slice(0, 8)}-${time.slice(8)}-${high}-${middle}-${hex(((sequence & 0x3fn) << randomBits) | random, 12)}`;
}

/** The first place of ids that were made at this time or later. @param milliseconds since 1970; before it: as 1970 */
export function firstPlaceAt(milliseconds: number): bigint {
  return BigInt(Math.min(Math.max(0, milliseconds), firstMillisecondBeyond)) << sequenceBits;
}

/** The same as SQLite computes it from a column with milliseconds. */
export function firstPlaceAtSql(column: string): string {
  return `(${column} << ${sequenceBits})`;
}

/** The time in the id of a row, in milliseconds, as SQLite computes it from the columns `place` and `id_rest`. */
export const timeAtPlaceSql = '((place - (id_rest >> 55) >> 19) - ((id_rest >> 42) & 8191))';

const sequenceSql = '((((id_rest >> 42) & 8191) << 19) | (place - (id_rest >> 55) & 524287))';

/** The id of a row, as SQLite computes it from the columns `place` and `id_rest`. */
export const idAtPlaceSql = `printf('%08x-%04x-7%03x-%04x-%012x',
  ${timeAtPlaceSql} >> 16, ${timeAtPlaceSql} & 65535, ${sequenceSql} >> 20,
  32768 | (${sequenceSql} >> 6 & 16383), (${sequenceSql} & 63) << 42 | (id_rest & 4398046511103))`;

/** The text of an id that is stored as sixteen bytes; null for null. */
export function idOfBytesSql(column: string): string {
  const part = (from: number, length: number): string => `substr(lower(hex(${column})), ${from}, ${length})`;
  const parts = [part(1, 8), part(9, 4), part(13, 4), part(17, 4), part(21, 12)];
  return `case when ${column} is not null then ${parts.join(" || '-' || ")} end`;
}

/** A condition that finds the row of an id, with the parameter names for its place and its rest. */
export function isAtPlaceSql(place: string, rest: string): string {
  return `place between ${place} and ${place} + ${maxMoved} and id_rest = ${rest} + (place - ${place} << 55)`;
}

function hex(value: bigint, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
