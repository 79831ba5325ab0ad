import { beforeEach, describe, expect, it } from 'vitest';
import { type SignOfLife, SignsOfLife } from './signs-of-life.ts';

let signs: SignsOfLife;

beforeEach(() => {
  signs = new SignsOfLife();
});

function signOf(machineID: string, at: number, more: Partial<SignOfLife> = {}): SignOfLife {
  return {
    at,
    by: { tokenID: 'of a project token' },
    target: { machineID },
    heartbeat: {},
    ...more,
  };
}

const machines = (taken: readonly SignOfLife[]) =>
  taken.map(({ at, target }) => ['machineID' in target ? target.machineID : target.agentID, at]);

describe('signs of life', () => {
  it('are taken in their order, at most so many, each once', () => {
    for (const [machineID, at] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['a', 4],
    ] as const)
      signs.note(signOf(machineID, at));
    expect(signs.count).toBe(3);
    expect(machines(signs.take(2))).toEqual([
      ['b', 2],
      ['c', 3],
    ]);
    expect(machines(signs.take(2))).toEqual([['a', 4]]);
    expect(signs.take(2)).toEqual([]);
  });

  it('say what earlier ones said, unless a later one says otherwise', () => {
    signs.note(signOf('a', 1, { heartbeat: { version: '1', uptime: 5 } }));
    signs.note(signOf('a', 2, { heartbeat: { version: '2' } }));
    expect(signs.take(9)).toMatchObject([{ at: 2, heartbeat: { version: '2', uptime: 5 } }]);
  });

  it('are those of the 100,000 agents that were heard last', () => {
    for (let index = 0; index < 100_003; index += 1) signs.note(signOf(`m-${index}`, index));
    expect(signs.count).toBe(100_000);
    const [oldest, ...others] = signs.take(5);
    expect(machines(oldest === undefined ? [] : [oldest])).toEqual([['m-3', 3]]);
    for (let index = 0; index < 3; index += 1) signs.note(signOf(`n-${index}`, index));
    signs.putBack(oldest === undefined ? others : [oldest, ...others]);
    expect(signs.count).toBe(100_000);
  });

  it('are put back, unless the agent was heard since', () => {
    signs.note(signOf('a', 1));
    signs.note(signOf('b', 2));
    const notSent = signs.take(2);
    signs.note(signOf('b', 3));
    signs.putBack(notSent);
    expect(machines(signs.take(9))).toEqual([
      ['b', 3],
      ['a', 1],
    ]);
  });
});
