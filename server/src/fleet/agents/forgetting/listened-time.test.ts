import { describe, expect, it } from 'vitest';
import { listenedSince } from './listened-time.ts';

const period = (startedAt: number, endedAt: number) => ({ startedAt, endedAt });

describe('listenedSince', () => {
  it.each([
    ['never listened', [], 10, undefined],
    ['not long enough', [period(0, 9)], 10, undefined],
    ['one period', [period(0, 100)], 10, 90],
    ['exactly as long', [period(50, 60)], 10, 50],
    ['over a break', [period(100, 104), period(0, 50)], 10, 44],
    ['over two breaks', [period(100, 104), period(80, 83), period(0, 50)], 10, 47],
    ['not long enough in all', [period(100, 104), period(80, 83)], 10, undefined],
    [
      'a service that has just started again after a long time',
      [period(1_000, 1_000), period(0, 50)],
      10,
      40,
    ],
  ])('%s', (_name, periods, milliseconds, since) => {
    expect(listenedSince(periods, milliseconds)).toBe(since);
  });
});
