import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PacedAnswers } from './paced-answers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start(options: { maxConcurrent: number; maxWaiting: number }) {
  const answers = new PacedAnswers({ ...options, intervalMilliseconds: 100 });
  const sent: number[] = [];
  let last = 0;
  return {
    sent,
    add(count: number) {
      for (let index = 0; index < count; index += 1) {
        last += 1;
        const number = last;
        answers.add(() => sent.push(number));
      }
    },
  };
}

describe('PacedAnswers', () => {
  it('sends few at once, and the others in their order at the end of the interval', () => {
    const { sent, add } = start({ maxConcurrent: 2, maxWaiting: 10 });
    add(5);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([1, 2]);
    vi.advanceTimersByTime(98);
    expect(sent).toEqual([1, 2]);
    vi.advanceTimersByTime(2);
    expect(sent).toEqual([1, 2, 3, 4, 5]);
  });

  it('begins anew with each interval', () => {
    const { sent, add } = start({ maxConcurrent: 2, maxWaiting: 10 });
    add(3);
    vi.advanceTimersByTime(101);
    add(2);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([1, 2, 3, 4, 5]);
    vi.advanceTimersByTime(60_000);
    add(1);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([1, 2, 3, 4, 5, 6]);
    expect(vi.getTimerCount()).toBe(1);
  });

  it('keeps no more waiting than it may', () => {
    const { sent, add } = start({ maxConcurrent: 1, maxWaiting: 2 });
    add(5);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([1, 4, 5]);
    vi.advanceTimersByTime(100);
    expect(sent).toEqual([1, 4, 5, 2, 3]);
  });
});
