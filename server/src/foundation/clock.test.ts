import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { createTestClock, testStart } from '../testing/test-clock.ts';
import {
  createNewID,
  createSteadyClock,
  minIDAt,
  parseTimestamp,
  timeOfID,
  toNullableTimestamp,
  toTimestamp,
} from './clock.ts';

const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function isIncreasing(ids: readonly string[]): boolean {
  return ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? ''));
}

describe('createNewID', () => {
  it('makes UUIDs of version 7 that contain the time', () => {
    const newID = createNewID(createTestClock().now, randomBytes);
    const id = newID();
    expect(id).toMatch(uuidv7);
    expect(timeOfID(id)).toBe(testStart);
  });

  it('makes each greater than the one before within one millisecond, thousands of times', () => {
    const newID = createNewID(createTestClock().now, randomBytes);
    const ids = Array.from({ length: 10_000 }, newID);
    expect(isIncreasing(ids)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect(timeOfID(ids.at(-1) ?? '')).toBe(testStart);
  });

  it('makes each greater than the one before, even if the clock goes back', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -100_000, max: 100_000 }), { maxLength: 50 }), (moves) => {
        const clock = createTestClock();
        const newID = createNewID(clock.now, randomBytes);
        const ids = moves.flatMap((move) => {
          clock.advance(move);
          return [newID(), newID()];
        });
        expect(isIncreasing(ids)).toBe(true);
      }),
    );
  });

  it('follows the clock again as soon as it has caught up', () => {
    const clock = createTestClock();
    const newID = createNewID(clock.now, randomBytes);
    newID();
    clock.advance(-60_000);
    expect(timeOfID(newID())).toBe(testStart);
    clock.advance(60_001);
    expect(timeOfID(newID())).toBe(testStart + 1);
  });

  it('uses the given random source: two services make different ids at the same time', () => {
    const clock = createTestClock();
    expect(createNewID(clock.now, randomBytes)()).not.toBe(createNewID(clock.now, randomBytes)());
    const fixed = () => new Uint8Array(16);
    expect(createNewID(clock.now, fixed)()).toBe(createNewID(clock.now, fixed)());
  });
});

describe('createSteadyClock', () => {
  it('equals the clock as long as that never goes back', () => {
    const clock = createTestClock();
    const steady = createSteadyClock(clock.now, clock.monotonic);
    expect(steady()).toBe(testStart);
    clock.advance(5);
    expect(steady()).toBe(testStart + 5);
    clock.set(3_600_000);
    expect(steady()).toBe(testStart + 3_600_005);
  });

  it('runs at half speed after the clock was set back, until the clock has caught up', () => {
    const clock = createTestClock();
    const steady = createSteadyClock(clock.now, clock.monotonic);
    steady();
    clock.set(-1_000);
    expect(steady()).toBe(testStart);
    clock.advance(600);
    expect(steady()).toBe(testStart + 300);
    clock.set(-1_000);
    clock.advance(600);
    expect(steady()).toBe(testStart + 600);
    clock.advance(2_800);
    expect(steady()).toBe(testStart + 2_000);
    expect(clock.now()).toBe(testStart + 2_000);
    clock.advance(10);
    expect(steady()).toBe(testStart + 2_010);
  });
});

describe('minIDAt', () => {
  it('separates ids made before a time from those made then or later', () => {
    const clock = createTestClock();
    const newID = createNewID(clock.now, randomBytes);
    const before = [newID(), newID()];
    clock.advance(1);
    const least = minIDAt(clock.now());
    const since = [newID(), newID()];
    expect(least).toMatch(uuidv7);
    expect(before.every((id) => id < least)).toBe(true);
    expect(since.every((id) => id >= least)).toBe(true);
  });

  it('accepts times that no id can contain', () => {
    expect(minIDAt(-1)).toBe(minIDAt(0));
    expect(minIDAt(Date.parse('9999-12-31T23:59:59.999Z'))).toMatch(uuidv7);
  });
});

describe('toTimestamp', () => {
  it('writes any time as Date.toISOString does', () => {
    const years = [
      '1969-12-31T23:59:59.999Z',
      '1970-01-01T00:00:00Z',
      '2000-02-29T23:59:59.999Z',
      '9999-12-31T23:59:59.999Z',
    ];
    const around = years.flatMap((year) => [Date.parse(year) - 1, Date.parse(year), Date.parse(year) + 1]);
    const any = fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 });
    const usual = fc.integer({ min: 0, max: Date.parse('9999-12-31T23:59:59.999Z') });
    const inPortions = fc.double({ min: 0, max: Date.parse('2100-01-01T00:00:00Z'), noNaN: true });
    fc.assert(
      fc.property(fc.oneof(any, usual, inPortions, fc.constantFrom(...around)), (milliseconds) => {
        expect(toTimestamp(milliseconds)).toBe(new Date(milliseconds).toISOString());
      }),
      { seed: 1, numRuns: rounds(500) },
    );
    expect(() => toTimestamp(Number.NaN)).toThrow(RangeError);
  });
});

describe('parseTimestamp', () => {
  it('reads back what toTimestamp writes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.parse('0000-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') }),
        (milliseconds) => {
          expect(parseTimestamp(toTimestamp(milliseconds))).toBe(milliseconds);
        },
      ),
    );
    expect(toNullableTimestamp(null)).toBeNull();
    expect(toNullableTimestamp(testStart)).toBe('2026-03-02T10:20:30.456Z');
  });

  it('reads any zone, and truncates to milliseconds', () => {
    expect(parseTimestamp('2026-03-02T10:20:30.456789+00:00')).toBe(testStart);
    expect(parseTimestamp('2026-03-02t15:50:30.456+05:30')).toBe(testStart);
    expect(parseTimestamp('2026-03-01T22:20:30.456-12:00')).toBe(testStart);
    expect(parseTimestamp('2026-03-02T10:20:30z')).toBe(testStart - 456);
  });

  it.each([
    ['a day that its month lacks', '2026-02-29T00:00:00Z'],
    ['a day that no month has', '2026-01-32T00:00:00Z'],
    ['a month that no year has', '2026-00-10T00:00:00Z'],
    ['an hour that no day has', '2026-01-31T24:00:00Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['a time without a zone', '2026-01-31T00:00:00'],
    ['a zone beyond a day', '2026-01-31T00:00:00+24:00'],
    ['a time before the first year, in UTC', '0000-01-01T00:00:00+00:01'],
    ['a time after the last year, in UTC', '9999-12-31T23:59:59-00:01'],
    ['a date alone', '2026-01-31'],
    ['a number', '1772446830456'],
    ['space around it', ' 2026-01-31T00:00:00Z'],
    ['a line after it', '2026-01-31T00:00:00Z\n'],
    ['nothing', ''],
  ])('rejects %s', (_, text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});
