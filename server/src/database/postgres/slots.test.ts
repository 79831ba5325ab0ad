import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Slots } from './slots.ts';

describe('Slots', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are handed out in the order in which they are asked for, and given back once', async () => {
    const slots = new Slots(1, 1_000);
    const order: string[] = [];
    const first = await slots.take();
    const second = slots.take().then((giveBack) => {
      order.push('second');
      return giveBack;
    });
    const third = slots.take().then(() => order.push('third'));
    await Promise.resolve();
    expect(order).toEqual([]);
    first();
    first();
    const giveBackSecond = await second;
    expect(order).toEqual(['second']);
    giveBackSecond();
    await third;
    expect(order).toEqual(['second', 'third']);
  });

  it('are waited for only so long, and whoever gave up takes none', async () => {
    const slots = new Slots(1, 1_000);
    const giveBack = await slots.take();
    const waiting = slots.take();
    const refused = expect(waiting).rejects.toThrow('no connection to the database became free in time');
    await vi.advanceTimersByTimeAsync(1_000);
    await refused;
    giveBack();
    await expect(slots.take()).resolves.toBeTypeOf('function');
  });
});
