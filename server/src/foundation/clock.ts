import { writeTimestamp } from '@muster/http/write-timestamp';
import { v7 } from 'uuid';
import type { RandomBytes } from './secret.ts';

/** Milliseconds since 1970-01-01 UTC. Tests control it. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;

/** Milliseconds since an arbitrary moment, for durations. It never goes back, even if the machine's clock is changed. */
export type MonotonicClock = () => number;

export const systemMonotonicClock: MonotonicClock = () => performance.now();

/**
 * The time for the order of events and for rate limits. It never goes back: if the machine's clock is set back, this one runs at half speed until the
 * clock has caught up.
 *
 * It does not stop instead, because then all new errors until that moment would count in the same second.
 */
export function createSteadyClock(clock: Clock, monotonic: MonotonicClock): Clock {
  let last = 0;
  let behind: { readonly from: number; readonly since: number } | undefined;
  return () => {
    const now = clock();
    if (now >= last) {
      behind = undefined;
      last = now;
      return now;
    }
    behind ??= { from: last, since: monotonic() };
    last = behind.from + Math.floor((monotonic() - behind.since) / 2);
    return last;
  };
}

/** Makes a UUIDv7 (RFC 9562) that is greater than the one before, also within one millisecond. */
export type NewID = () => string;

/** The largest sequence number within a millisecond that still has its own place in a table ordered by time (id-place.ts). */
const maxSequence = 0x7ffff;

export function createNewID(clock: Clock, randomBytes: RandomBytes): NewID {
  const nextRandom = poolRandom(randomBytes);
  let milliseconds = 0;
  let sequence = 0;
  return () => {
    const now = clock();
    if (now > milliseconds) {
      milliseconds = now;
      sequence = 0;
    } else if (sequence === maxSequence) {
      milliseconds += 1;
      sequence = 0;
    } else {
      sequence += 1;
    }
    return v7({ msecs: milliseconds, seq: sequence, random: nextRandom() });
  };
}

/** Returns sixteen bytes at a time from larger draws, because one draw costs as much as the rest of making an id. */
function poolRandom(randomBytes: RandomBytes): () => Uint8Array {
  let pool: Uint8Array = new Uint8Array();
  let used = 0;
  return () => {
    if (used + 16 > pool.length) {
      pool = randomBytes(4_096);
      used = 0;
    }
    used += 16;
    return pool.subarray(used - 16, used);
  };
}

/** The smallest UUIDv7 of a time: every id made then or later is greater or equal. */
export function minIDAt(milliseconds: number): string {
  const hex = Math.max(0, milliseconds).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** The smallest id that is greater than the given one. */
export function idAfter(id: string): string {
  const hex = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const uuidv7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** True for an id in lower case, as `NewID` makes them. */
export function isUuidv7(text: string): boolean {
  return uuidv7.test(text);
}

/** The creation time of a UUIDv7, in milliseconds. */
export function timeOfID(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** In UTC, with milliseconds: `2026-03-02T10:20:30.456Z`. RFC 3339 section 5.6. */
export function toTimestamp(milliseconds: number): string {
  return writeTimestamp(milliseconds);
}

export function toNullableTimestamp(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toTimestamp(milliseconds);
}

/**
 * Parses a time with its zone as milliseconds; undefined if it is invalid.
 * RFC 3339 section 5.6.
 */
export function parseTimestamp(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.test(text))
    return undefined;
  const milliseconds = Date.parse(text.toUpperCase());
  return isOnCalendar(text) && hasFourDigitYear(milliseconds) ? milliseconds : undefined;
}

/** Date.parse alone reads 30 February as 2 March, and 24:00 as the next day. */
function isOnCalendar(text: string): boolean {
  const local = text.slice(0, 'yyyy-mm-ddThh:mm:ss'.length).toUpperCase();
  const milliseconds = Date.parse(`${local}Z`);
  return !Number.isNaN(milliseconds) && toTimestamp(milliseconds).startsWith(local);
}

/** After conversion to UTC, a time can be outside the years that RFC 3339 can write. */
function hasFourDigitYear(milliseconds: number): boolean {
  return !Number.isNaN(milliseconds) && /^\d{4}-/.test(toTimestamp(milliseconds));
}

/** A request takes at most half of this, so times of a core instance may be wrong by as much, also against one another. */
export const maxJitterMilliseconds = 60_000;
