import { describe, expect, it } from 'vitest';
import { addReceived, readReceivedMinutes } from './received-minutes.ts';

const minute = 60_000;
const start = 29_000_000 * minute;
const none = Array.from({ length: 60 }, () => 0);

/** The last minutes of an hour in which nothing else arrived. */
const endingWith = (...counts: readonly number[]) => [...none.slice(counts.length), ...counts];

describe('what arrives from a site', () => {
  it('is counted by the minute, and is gone after an hour', () => {
    let stored = addReceived(null, start, 3);
    stored = addReceived(stored, start + 59_999, 4);
    stored = addReceived(stored, start + 2 * minute, 5);
    expect(readReceivedMinutes(stored, start + 2 * minute)).toEqual(endingWith(7, 0, 5));
    expect(readReceivedMinutes(stored, start + 4 * minute)).toEqual(endingWith(7, 0, 5, 0, 0));
    expect(readReceivedMinutes(stored, start + 59 * minute).slice(0, 4)).toEqual([7, 0, 5, 0]);
    expect(readReceivedMinutes(stored, start + 60 * minute).slice(0, 4)).toEqual([0, 5, 0, 0]);
    expect(readReceivedMinutes(stored, start + 62 * minute)).toEqual(none);
    expect(readReceivedMinutes(null, start)).toEqual(none);
  });

  it('takes little room, for an hour at most', () => {
    let stored: string | null = null;
    for (let past = 0; past < 200; past += 1) stored = addReceived(stored, start + past * minute, 1);
    expect(readReceivedMinutes(stored, start + 199 * minute)).toEqual(none.map(() => 1));
    expect(stored).toHaveLength(`{"minute":29000199,"counts":[${'1,'.repeat(59)}1]}`.length);
    expect(addReceived(stored, start + 900 * minute, 2)).toBe('{"minute":29000900,"counts":[2]}');
  });

  it('is counted on when the clock was set back, and is never too large to be a number', () => {
    const stored = addReceived(addReceived(null, start, 3), start - 5 * minute, 4);
    expect(readReceivedMinutes(stored, start - 5 * minute)).toEqual(endingWith(7));
    const many = addReceived(addReceived(null, start, 9e15), start, 9e15);
    expect(readReceivedMinutes(many, start)).toEqual(endingWith(1e12));
  });
});
