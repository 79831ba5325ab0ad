import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SummedWarning } from './summed-warning.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('SummedWarning', () => {
  it('is logged at once, then at most every ten seconds with its count, and not after it has ended', () => {
    const lines: unknown[] = [];
    const warning = new SummedWarning({ warn: (...line: unknown[]) => lines.push(line) }, 'too much');
    for (let count = 0; count < 1_000; count += 1) warning.note();
    expect(lines).toEqual([[{ count: 1 }, 'too much']]);
    vi.advanceTimersByTime(10_000);
    expect(lines).toEqual([
      [{ count: 1 }, 'too much'],
      [{ count: 999 }, 'too much'],
    ]);
    vi.advanceTimersByTime(60_000);
    expect(lines).toHaveLength(2);
    warning.note();
    expect(lines.at(-1)).toEqual([{ count: 1 }, 'too much']);
  });
});
