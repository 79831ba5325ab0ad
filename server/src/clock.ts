import { v7 } from 'uuid';
import type { RandomBytes } from './secret.ts';

/** Milliseconds since 1970-01-01 UTC; tests own it. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;

/** Milliseconds since some moment: whatever somebody does to the clock, it only runs on. For durations. */
export type MonotonicClock = () => number;

export const systemMonotonicClock: MonotonicClock = () => performance.now();

/**
 * The time by which events are ordered and limits count. It never goes back: where the clock does, as after a correction
 * of the machine's time, this one runs on at half speed until the clock has caught up.
 *
 * With a time that stands still, everything that is new for as long would fall into the same second.
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

/** Makes UUIDv7 (RFC 9562): each greater than the one before, also within one millisecond. */
export type NewID = () => string;

/** As many ids of a millisecond have a place of their own in a table in order of time (id-place.ts). */
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

/** Sixteen bytes at a time out of larger draws, since each draw costs as much as everything else of an id. */
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

/** The least UUIDv7 of a point in time: every id made then or later is greater or equal. */
export function minIDAt(milliseconds: number): string {
  const hex = Math.max(0, milliseconds).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** The least id that is greater than another one. */
export function idAfter(id: string): string {
  const hex = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** When a UUIDv7 was made, in milliseconds. */
export function timeOfID(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function toNullableTimestamp(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toTimestamp(milliseconds);
}

/**
 * Reads a point in time that a caller gave, with its zone, as milliseconds; undefined when it is none.
 * RFC 3339 section 5.6.
 */
export function parseTimestamp(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.test(text))
    return undefined;
  const milliseconds = Date.parse(text.toUpperCase());
  return isOnCalendar(text) && hasFourDigitYear(milliseconds) ? milliseconds : undefined;
}

/** The parser alone would take 30 February for 2 March, and 24:00 for the next day. */
function isOnCalendar(text: string): boolean {
  const local = text.slice(0, 'yyyy-mm-ddThh:mm:ss'.length).toUpperCase();
  const milliseconds = Date.parse(`${local}Z`);
  return !Number.isNaN(milliseconds) && toTimestamp(milliseconds).startsWith(local);
}

/** With its zone taken into account, a time may fall out of the years that RFC 3339 can write. */
function hasFourDigitYear(milliseconds: number): boolean {
  return !Number.isNaN(milliseconds) && /^\d{4}-/.test(toTimestamp(milliseconds));
}
