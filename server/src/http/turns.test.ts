import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

let now = 0;
let done: string[];
let turns: Turns;

beforeEach(() => {
  now = 0;
  done = [];
  turns = new Turns({ mostInTurn: 2, mostWaiting: 5, longestWaitMilliseconds: 1_000, now: () => now });
});

function take(...names: string[]): void {
  for (const name of names) {
    turns.take(
      () => done.push(name),
      () => done.push(`${name} is refused`),
    );
  }
}

describe('Turns', () => {
  it('do at once what a turn has room for, and the rest in later turns, in order', async () => {
    take('a', 'b', 'c', 'd', 'e');
    expect(done).toEqual(['a', 'b']);
    await nextTurn();
    expect(done).toEqual(['a', 'b', 'c', 'd']);
    await nextTurn();
    expect(done).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('let nothing overtake what waits', async () => {
    take('a', 'b', 'c');
    await nextTurn();
    take('d', 'e', 'f');
    expect(done).toEqual(['a', 'b', 'c', 'd']);
    await nextTurn();
    await nextTurn();
    expect(done).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('have room again in the next turn', async () => {
    take('a', 'b');
    await nextTurn();
    take('c', 'd');
    expect(done).toEqual(['a', 'b', 'c', 'd']);
  });

  it('refuse at once what comes while the first that waits has waited for too long, and do what was let in', async () => {
    take('a', 'b', 'c', 'd', 'e');
    now += 1_000;
    take('f');
    now += 1;
    take('g');
    expect(done).toEqual(['a', 'b', 'g is refused']);
    await nextTurn();
    take('h');
    expect(done).toEqual(['a', 'b', 'g is refused', 'c', 'd', 'h is refused']);
    await nextTurn();
    take('i');
    await nextTurn();
    expect(done).toEqual(['a', 'b', 'g is refused', 'c', 'd', 'h is refused', 'e', 'f', 'i']);
  });

  it('refuse at once what comes when too many wait', async () => {
    take('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
    expect(done).toEqual(['a', 'b', 'h is refused']);
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    expect(done).toEqual(['a', 'b', 'h is refused', 'c', 'd', 'e', 'f', 'g']);
  });

  it('keep the order over thousands', async () => {
    turns = new Turns({ mostInTurn: 7, now: () => now });
    const names = Array.from({ length: 5_000 }, (_, index) => `${index}`);
    for (let from = 0; from < names.length; from += 50) {
      take(...names.slice(from, from + 50));
      await nextTurn();
    }
    while (done.length < names.length) await nextTurn();
    expect(done).toEqual(names);
  });
});
