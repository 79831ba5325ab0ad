import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FairSlots } from './fair-slots.ts';

describe('FairSlots', () => {
  let slots: FairSlots;
  /** Who got a slot, in that order. */
  let served: string[];
  /** Of whoever holds one, in that order. */
  let held: { readonly caller: string; readonly giveBack: () => void }[];
  let refused: string[];

  beforeEach(() => {
    vi.useFakeTimers();
    [served, held, refused] = [[], [], []];
    slots = new FairSlots({
      count: 3,
      maxPerCaller: 2,
      maxWaiting: 6,
      maxWaitingPerCaller: 4,
      maxWaitMilliseconds: 1_000,
    });
  });

  afterEach(() => void vi.useRealTimers());

  /** Callers who ask at once, in this order. */
  async function ask(callers: string, hangUp?: AbortSignal): Promise<void> {
    for (const caller of callers) {
      void slots.take(caller, hangUp ?? new AbortController().signal).then((slot) => {
        if (typeof slot === 'string') {
          refused.push(caller);
          return;
        }
        served.push(caller);
        held.push({ caller, giveBack: slot });
      });
    }
    await settle();
  }

  async function giveBack(caller: string): Promise<void> {
    const index = held.findIndex((one) => one.caller === caller);
    held.splice(index, 1)[0]?.giveBack();
    await settle();
  }

  const settle = () => vi.advanceTimersByTimeAsync(0);

  it('are handed out at once while there are some, to the same caller only so many', async () => {
    await ask('aaab');
    expect(served).toEqual(['a', 'a', 'b']);
    await giveBack('a');
    expect(served).toEqual(['a', 'a', 'b', 'a']);
  });

  it('are never more than there are, also when they are given back twice', async () => {
    await ask('abc');
    const [first] = held;
    first?.giveBack();
    first?.giveBack();
    await ask('def');
    expect(served).toEqual(['a', 'b', 'c', 'd']);
  });

  it('leave room for another caller, however much one asks for', async () => {
    await ask('aaaaaa');
    expect(served).toEqual(['a', 'a']);
    await ask('b');
    expect(served).toEqual(['a', 'a', 'b']);
  });

  it('go to whoever holds the fewest, and of those to who waits longest', async () => {
    await ask('aabaabcd');
    expect(served).toEqual(['a', 'a', 'b']);
    await giveBack('b');
    expect(served.at(-1)).toBe('b');
    await giveBack('a');
    expect(served.at(-1)).toBe('c');
    // Of a and d, who hold none now, a waits longer; then d holds fewer.
    await giveBack('a');
    expect(served.at(-1)).toBe('a');
    await giveBack('c');
    expect(served.at(-1)).toBe('d');
    await giveBack('b');
    expect(served.at(-1)).toBe('a');
    expect(refused).toEqual([]);
  });

  it('are waited for by only so many of one caller, and so many of all', async () => {
    await ask('aaaaaaa');
    expect(refused).toEqual(['a']);
    await ask('bbbbbbb');
    expect(served).toEqual(['a', 'a', 'b']);
    expect(refused).toEqual(['a', ...Array(4).fill('b')]);
    await ask('c');
    expect(refused.at(-1)).toBe('c');
  });

  it('are waited for only so long, and whoever gave up takes none', async () => {
    await ask('aabc');
    await vi.advanceTimersByTimeAsync(999);
    expect(refused).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(refused).toEqual(['c']);
    await giveBack('b');
    await ask('d');
    expect(served).toEqual(['a', 'a', 'b', 'd']);
  });

  it('are handed out while there are some to who has hung up, too: it may have closed its half alone', async () => {
    await ask('a', AbortSignal.abort());
    expect(served).toEqual(['a']);
  });

  it('go to those who are not told apart in the order in which they ask', async () => {
    const some = new FairSlots({ count: 2, maxWaitMilliseconds: 1_000 });
    const [first, second] = [await some.take(), await some.take()];
    const order: string[] = [];
    const waiting = ['third', 'fourth'].map(async (name) => {
      const slot = await some.take();
      order.push(slot === 'none' ? `${name} has none` : name);
    });
    await settle();
    expect(order).toEqual([]);
    for (const slot of [first, second]) if (typeof slot !== 'string') slot();
    await Promise.all(waiting);
    expect(order).toEqual(['third', 'fourth']);
    const late = some.take();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await late).toBe('none');
  });

  it('are not waited for by who has hung up, before or meanwhile', async () => {
    const client = new AbortController();
    await ask('aab');
    await ask('ccc', client.signal);
    await ask('d');
    client.abort();
    await settle();
    expect(refused).toEqual(['c', 'c', 'c']);
    await giveBack('a');
    expect(served).toEqual(['a', 'a', 'b', 'd']);
    await ask('c', client.signal);
    expect(refused).toEqual(['c', 'c', 'c', 'c']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
