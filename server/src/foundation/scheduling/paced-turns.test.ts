import { describe, expect, it } from 'vitest';
import { PacedTurns } from './paced-turns.ts';

describe('PacedTurns', () => {
  it('goes on after work that failed, and pauses after it too', async () => {
    const pauses: number[] = [];
    let time = 0;
    const turns = new PacedTurns({
      now: () => {
        time += 5;
        return time;
      },
      wait: async (milliseconds) => pauses.push(milliseconds),
    });
    const failed = turns.run(() => {
      throw new Error('too bad');
    });
    const next = turns.run(() => 'done');
    await expect(failed).rejects.toThrow('too bad');
    expect(await next).toBe('done');
    expect(pauses).toEqual([5, 5]);
  });
});
