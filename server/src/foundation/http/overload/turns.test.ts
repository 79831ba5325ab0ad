import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

let now: number;
/** What each work takes, in milliseconds. */
let cost: number;
let done: string[];
let turns: Turns;

beforeEach(() => {
  now = 0;
  cost = 5;
  done = [];
  turns = new Turns({ maxConcurrent: 2, maxWaiting: 5, maxWaitMilliseconds: 500, now: () => now });
});

function take(...names: string[]): void {
  for (const name of names) {
    turns.take(
      () => {
        now += cost;
        done.push(name);
      },
      () => done.push(`not ${name}`),
    );
  }
}

/** Ends the turn of everybody else, which has taken so long. */
async function endTurn(milliseconds = 0): Promise<void> {
  now += milliseconds;
  await nextTurn();
}

describe('Turns', () => {
  it('do at once what there is time for, and the rest between the turns of others, in order', async () => {
    take('a', 'b', 'c', 'd', 'e', 'f', 'g');
    expect(done.join('')).toBe('ab');
    await endTurn();
    expect(done.join('')).toBe('abcd');
    await endTurn();
    expect(done.join('')).toBe('abcdef');
    await endTurn();
    expect(done.join('')).toBe('abcdefg');
  });

  it('let nothing overtake what waits, and do it at once again when nothing does', async () => {
    take('a', 'b', 'c', 'd', 'e');
    await endTurn();
    take('f');
    expect(done.join('')).toBe('abcd');
    await endTurn();
    expect(done.join('')).toBe('abcdef');
    await endTurn();
    take('g', 'h');
    expect(done.join('')).toBe('abcdefgh');
  });

  it('take as long as those of others, within bounds', async () => {
    turns = new Turns({ maxConcurrent: 0, now: () => now });
    take(...Array.from({ length: 100 }, () => '.'));
    await endTurn(20);
    expect(done).toHaveLength(4);
    await endTurn(1_000);
    expect(done).toHaveLength(4 + 10);
    await endTurn(0);
    expect(done).toHaveLength(4 + 10 + 2);
    while (done.length < 100) await endTurn();
  });

  it('refuse what comes while the first that waits has waited for too long, and do what was let in', async () => {
    take('a', 'b', 'c', 'd', 'e');
    now += 400;
    take('f');
    now += 200;
    take('g');
    expect(done).toEqual(['a', 'b', 'not g']);
    cost = 0;
    await endTurn();
    take('h');
    expect(done).toEqual(['a', 'b', 'not g', 'c', 'd', 'e', 'f', 'h']);
  });

  it('refuse what comes when too many wait', async () => {
    take('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
    expect(done).toEqual(['a', 'b', 'not h']);
    cost = 0;
    await endTurn();
    expect(done).toEqual(['a', 'b', 'not h', 'c', 'd', 'e', 'f', 'g']);
  });

  it('keep the order over thousands', async () => {
    turns = new Turns({ maxConcurrent: 7, maxWaitMilliseconds: Number.POSITIVE_INFINITY, now: () => now });
    cost = 0.5;
    const names = Array.from({ length: 5_000 }, (_, index) => `${index}`);
    for (let from = 0; from < names.length; from += 50) {
      take(...names.slice(from, from + 50));
      await endTurn(1);
    }
    while (done.length < names.length) await endTurn();
    expect(done).toEqual(names);
  });
});
