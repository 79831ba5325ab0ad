import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../server/src/testing/test-clock.ts';
import { AddressBuckets } from './address-buckets.ts';

function createBuckets(perMinute: number, maxAddresses = 3) {
  const clock = createTestClock();
  const buckets = new AddressBuckets({ perMinute, clock: clock.now, maxAddresses });
  /** Number of accepted attempts among `tries`. */
  const takenOf = (address: string, tries: number): number =>
    Array.from({ length: tries }, () => buckets.take(address)).filter(({ taken }) => taken).length;
  return { clock, buckets, takenOf };
}

describe('AddressBuckets', () => {
  it('counts the attempts of each address separately, up to the limit', () => {
    const { takenOf, buckets } = createBuckets(5);
    expect(buckets.isEmpty('a')).toBe(false);
    expect(takenOf('a', 7)).toBe(5);
    expect(buckets.isEmpty('a')).toBe(true);
    expect(buckets.isEmpty('b')).toBe(false);
    expect(takenOf('b', 7)).toBe(5);
  });

  it('refills evenly up to the limit, regardless of attempts meanwhile', () => {
    const { clock, buckets, takenOf } = createBuckets(6);
    takenOf('a', 6);
    expect(buckets.millisecondsToNext(buckets.take('a').bucket)).toBe(10_000);
    clock.advance(9_000);
    expect(takenOf('a', 100)).toBe(0);
    expect(buckets.millisecondsToNext(buckets.take('a').bucket)).toBe(1_000);
    clock.advance(1_000);
    expect(takenOf('a', 100)).toBe(1);
    clock.advance(60_000);
    expect(takenOf('a', 100)).toBe(6);
    clock.advance(3_600_000);
    expect(takenOf('a', 100)).toBe(6);
  });

  it.each([1, 3, 7, 30, 59, 61, 997])('accepts exactly %i per minute', (perMinute) => {
    const { clock, takenOf } = createBuckets(perMinute);
    expect(takenOf('a', perMinute + 10)).toBe(perMinute);
    clock.advance(60_000);
    expect(takenOf('a', perMinute + 10)).toBe(perMinute);
  });

  it('does not refill when the clock goes back, and continues from there', () => {
    const { clock, takenOf } = createBuckets(6);
    takenOf('a', 6);
    clock.advance(-3_600_000);
    expect(takenOf('a', 1)).toBe(0);
    clock.advance(10_000);
    expect(takenOf('a', 2)).toBe(1);
  });

  it('holds a limited number of buckets; while all are in use, other addresses share one', () => {
    const { clock, buckets, takenOf } = createBuckets(2);
    for (const address of ['a', 'b', 'c']) takenOf(address, 2);
    expect(buckets.isEmpty('d')).toBe(false);
    expect(takenOf('d', 1)).toBe(1);
    expect(takenOf('e', 1)).toBe(1);
    for (const address of ['d', 'e', 'f']) {
      expect(buckets.isEmpty(address)).toBe(true);
      expect(buckets.take(address)).toMatchObject({ taken: false, isShared: true });
    }
    // They evicted no other address.
    for (const address of ['a', 'b', 'c']) expect(buckets.isEmpty(address)).toBe(true);
    expect(buckets.size).toBe(3);

    clock.advance(60_000);
    expect(buckets.take('d')).toMatchObject({ taken: true, isShared: false });
    expect(buckets.size).toBe(3);
  });

  it('evicts the bucket that was not used for the longest time', () => {
    const { clock, buckets, takenOf } = createBuckets(2);
    for (const address of ['a', 'b', 'c']) takenOf(address, 1);
    clock.advance(30_000);
    takenOf('a', 2);
    expect(takenOf('d', 1)).toBe(1);
    expect(buckets.take('d')).toMatchObject({ isShared: false });
    expect(buckets.isEmpty('a')).toBe(true);
  });

  it('stays within its bounds under a flood from many addresses', () => {
    const { clock, buckets } = createBuckets(30, 10_000);
    let taken = 0;
    for (let number = 0; number < 200_000; number += 1) {
      if (buckets.take(`address ${number}`).taken) taken += 1;
    }
    expect(buckets.size).toBe(10_000);
    // One for each bucket, plus those of the shared one.
    expect(taken).toBe(10_030);
    clock.advance(60_000);
    expect(buckets.take('another').taken).toBe(true);
    expect(buckets.size).toBe(10_000);
  });
});
