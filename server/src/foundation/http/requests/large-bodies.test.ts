import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LargeBodies } from './large-bodies.ts';

interface Sent {
  readonly caller?: string;
  readonly hangUp?: AbortSignal;
  /** Duration of the work. */
  readonly milliseconds?: number;
}

describe('LargeBodies', () => {
  let bodies: LargeBodies;
  let done: string[];
  let refused: { readonly name: string; readonly error: Error }[];
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    bodies = new LargeBodies();
    [done, refused] = [[], []];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function take(name: string, { caller = 'a', hangUp, milliseconds = 0 }: Sent = {}): void {
    void bodies.take({
      caller,
      hangUp: hangUp ?? new AbortController().signal,
      work: () => {
        done.push(name);
        vi.advanceTimersByTime(milliseconds);
      },
      refuse: (error) => refused.push({ name, error }),
    });
  }

  const advance = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

  it('processes the first body at once, and the others later in their order', async () => {
    for (const name of ['a', 'b', 'c', 'd']) take(name);
    await Promise.resolve();
    expect(done).toEqual(['a']);
    await vi.runAllTimersAsync();
    expect(done).toEqual(['a', 'b', 'c', 'd']);
  });

  it('pauses between two bodies for as long as the first one took', async () => {
    take('a', { milliseconds: 30 });
    take('b');
    await advance(29);
    expect(done).toEqual(['a']);
    await advance(1);
    expect(done).toEqual(['a', 'b']);
  });

  it('processes a body at once again when none waits any more', async () => {
    take('a');
    await vi.runAllTimersAsync();
    take('b');
    await Promise.resolve();
    expect(done).toEqual(['a', 'b']);
  });

  it('lets another caller have the next turn but one, and refuses what a caller has beyond 200 that wait', async () => {
    for (let index = 0; index <= 201; index += 1) take(`bomb ${index}`);
    take('of b', { caller: 'b' });
    await vi.runAllTimersAsync();
    expect(done.slice(0, 4)).toEqual(['bomb 0', 'bomb 1', 'of b', 'bomb 2']);
    expect(done).toHaveLength(202);
    expect(refused).toMatchObject([
      { name: 'bomb 201', error: { code: 'overloaded', retryAfterSeconds: 2 } },
    ]);
  });

  it('refuses what is beyond 500 that wait of all callers, and what has waited for half a minute', async () => {
    take('long', { caller: 'first', milliseconds: 30_000 });
    for (let index = 0; index <= 500; index += 1) take(`bomb ${index}`, { caller: `caller ${index}` });
    await Promise.resolve();
    expect(refused.map(({ name }) => name)).toContain('bomb 500');
    await vi.runAllTimersAsync();
    expect(done).toEqual(['long']);
    expect(refused).toHaveLength(501);
  });

  it('forgets the bodies of senders that are gone', async () => {
    const client = new AbortController();
    take('a');
    take('b', { hangUp: client.signal });
    take('c');
    client.abort();
    await vi.runAllTimersAsync();
    expect(done).toEqual(['a', 'c']);
    expect(refused).toMatchObject([{ name: 'b', error: { code: 'overloaded' } }]);
  });
});
