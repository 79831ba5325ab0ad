import { describe, expect, it } from 'vitest';
import { SharedFreshness } from './credential-freshness.ts';

/** A database whose answers the test controls. */
function createDatabase() {
  const looks: { answer: (generation: number, ofFleets?: number) => void; fail: (error: Error) => void }[] =
    [];
  return {
    looks,
    read: () =>
      new Promise<{ generation: number; fleet_generation: number }>((resolve, fail) => {
        looks.push({
          answer: (generation, ofFleets = 1) => resolve({ generation, fleet_generation: ofFleets }),
          fail,
        });
      }),
  };
}

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const forgetNothing = { credentials: () => undefined, fleets: () => undefined };

describe('SharedFreshness', () => {
  it('forgets what a number is of when it has changed, before the request continues', async () => {
    const { looks, read } = createDatabase();
    const events: string[] = [];
    const freshness = new SharedFreshness(read, {
      credentials: () => events.push('forgotten'),
      fleets: () => events.push('forgotten fleets'),
    });
    expect(freshness.generation).toBeUndefined();

    for (const [generation = 0, ofFleets] of [[7], [7], [8], [8, 2]]) {
      const confirmed = freshness.confirm().then(() => events.push(`confirmed ${freshness.generation}`));
      await settled();
      looks.at(-1)?.answer(generation, ofFleets);
      await confirmed;
    }
    expect(events).toEqual([
      'forgotten fleets',
      'forgotten',
      'confirmed 7',
      'confirmed 7',
      'forgotten',
      'confirmed 8',
      'forgotten fleets',
      'confirmed 8',
    ]);
  });

  it('never uses a read that began before the request', async () => {
    const { looks, read } = createDatabase();
    const freshness = new SharedFreshness(read, forgetNothing);
    const confirmed: string[] = [];
    const first = freshness.confirm().then(() => confirmed.push('first'));
    await settled();
    const second = freshness.confirm().then(() => confirmed.push('second'));
    const third = freshness.confirm().then(() => confirmed.push('third'));
    expect(looks).toHaveLength(1);

    looks[0]?.answer(1);
    await first;
    await settled();
    expect(confirmed).toEqual(['first']);
    expect(looks).toHaveLength(2);

    looks[1]?.answer(1);
    await Promise.all([second, third]);
    expect(looks).toHaveLength(2);
  });

  it('admits no request when the read fails, and reads again for the next request', async () => {
    const { looks, read } = createDatabase();
    const freshness = new SharedFreshness(read, forgetNothing);
    const failing = freshness.confirm();
    const waiting = freshness.confirm();
    await settled();
    looks[0]?.fail(new Error('connection terminated'));
    await expect(failing).rejects.toThrow('connection terminated');
    await expect(waiting).rejects.toThrow('connection terminated');

    const next = freshness.confirm();
    await settled();
    looks[1]?.answer(3);
    await next;
    expect(freshness.generation).toBe(3);
  });
});
