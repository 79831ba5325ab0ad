import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FairSlots } from './fair-slots.ts';

describe('FairSlots', () => {
  let slots: FairSlots;
  /** The callers that got a slot, in order. */
  let served: string[];
  /** The slots that are held, in the order in which they were taken. */
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

  /** Callers that ask at the same time, in this order. */
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

  it('are given out at once while some are free, up to the limit per caller', async () => {
    await ask('aaab');
    expect(served).toEqual(['a', 'a', 'b']);
    await giveBack('a');
    expect(served).toEqual(['a', 'a', 'b', 'a']);
  });

  it('never exceed their number, even if a caller gives one back twice', async () => {
    await ask('abc');
    const [first] = held;
    first?.giveBack();
    first?.giveBack();
    await ask('def');
    expect(served).toEqual(['a', 'b', 'c', 'd']);
  });

  it('leave room for other callers, even if one caller asks for many', async () => {
    await ask('aaaaaa');
    expect(served).toEqual(['a', 'a']);
    await ask('b');
    expect(served).toEqual(['a', 'a', 'b']);
  });

  it('go to the caller with the fewest slots, and among equal callers to the one that has waited longest', async () => {
    await ask('aabaabcd');
    expect(served).toEqual(['a', 'a', 'b']);
    await giveBack('b');
    expect(served.at(-1)).toBe('b');
    await giveBack('a');
    expect(served.at(-1)).toBe('c');
    // a and d hold none now, and a has waited longer. After that, d holds fewer.
    await giveBack('a');
    expect(served.at(-1)).toBe('a');
    await giveBack('c');
    expect(served.at(-1)).toBe('d');
    await giveBack('b');
    expect(served.at(-1)).toBe('a');
    expect(refused).toEqual([]);
  });

  it('go round among callers that hold none, however many each waits for', async () => {
    slots = new FairSlots({ count: 1, maxWaitMilliseconds: 1_000 });
    await ask('aaaabbbc');
    for (const caller of 'aabcab') await giveBack(caller);
    expect(served.join('')).toBe('aabcaba');
  });

  it('have a limited queue per caller and in total', async () => {
    await ask('aaaaaaa');
    expect(refused).toEqual(['a']);
    await ask('bbbbbbb');
    expect(served).toEqual(['a', 'a', 'b']);
    expect(refused).toEqual(['a', ...Array(4).fill('b')]);
    await ask('c');
    expect(refused.at(-1)).toBe('c');
  });

  it('are waited for with a timeout, after which the caller takes none', async () => {
    await ask('aabc');
    await vi.advanceTimersByTimeAsync(999);
    expect(refused).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(refused).toEqual(['c']);
    await giveBack('b');
    await ask('d');
    expect(served).toEqual(['a', 'a', 'b', 'd']);
  });

  it('are given to a caller that has hung up if one is free: it may have closed only its half of the connection', async () => {
    await ask('a', AbortSignal.abort());
    expect(served).toEqual(['a']);
  });

  it('go to callers without a name in the order of their requests', async () => {
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

  it('are not waited for by a caller that hung up before or meanwhile', async () => {
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
