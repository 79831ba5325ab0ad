import { describe, expect, it } from 'vitest';
import { mergeUses, TokenUse } from './token-use.ts';

const day = 86_400_000;

describe('TokenUse', () => {
  it('says at the first request after each take that there is something to write', () => {
    const use = new TokenUse('token', undefined);
    expect([use.count(1), use.count(2), use.count(day)]).toEqual([true, false, false]);
    use.take();
    expect([use.count(day + 1), use.count(2 * day)]).toEqual([true, false]);
  });

  it('counts by day, also when the clock is set back', () => {
    const use = new TokenUse('token', undefined);
    for (const at of [day - 1, day, day + 5, 3 * day, 7]) use.count(at);
    expect(use.take()).toMatchObject({
      days: new Map([
        [0, 2],
        [1, 2],
        [3, 1],
      ]),
    });
    expect(use.take().days.size).toBe(0);
  });

  it('keeps five of each origin, however many a caller invents, and looks at few of many requests', () => {
    const use = new TokenUse('token', undefined);
    let looked = 0;
    for (let number = 0; number < 64_000; number += 1) {
      use.count(number);
      if (!use.wantsOrigin) continue;
      looked += 1;
      use.noteOrigin({ address: `192.0.2.${number}`, userAgent: `agent ${number}` });
    }
    const { addresses, userAgents } = use.take();
    expect([addresses.size, userAgents.size, looked]).toEqual([5, 5, 1_016]);
    expect([...addresses.keys()].at(-1)).toBe('192.0.2.63999');
  });

  it('merges what waits with what came later', () => {
    const gather = (...ats: number[]) => {
      const use = new TokenUse('token', undefined);
      for (const at of ats) {
        use.count(at);
        use.noteOrigin({ address: String(at), userAgent: undefined });
      }
      return use.take();
    };
    const merged = mergeUses(gather(5, 6, 7), gather(1, 2, 3, day));
    expect(merged).toEqual({
      lastUsedAt: day,
      days: new Map([
        [0, 6],
        [1, 1],
      ]),
      addresses: new Map([
        ['7', 7],
        ['1', 1],
        ['2', 2],
        ['3', 3],
        [String(day), day],
      ]),
      userAgents: new Map(),
    });
  });
});
