import { beforeEach, describe, expect, it } from 'vitest';
import { ChangeCollector } from './change-collector.ts';

let passed: string[][];
let waits: { readonly run: () => void; readonly milliseconds: number }[];
let isWatched: boolean;
let collector: ChangeCollector;

beforeEach(() => {
  passed = [];
  waits = [];
  isWatched = true;
  collector = new ChangeCollector({
    timer: {
      set: (run, milliseconds) => {
        const wait = { run, milliseconds };
        waits.push(wait);
        return wait;
      },
      clear: (handle) => {
        waits = waits.filter((wait) => wait !== handle);
      },
    },
    isWatched: () => isWatched,
    onChanges: (topics) => passed.push([...topics]),
  });
});

/** Lets the wait end, and tells how long it was. */
function endWait(): number | undefined {
  const wait = waits.shift();
  wait?.run();
  return wait?.milliseconds;
}

describe('a collector of changes', () => {
  it('passes a thousand changes on at once, after a second', () => {
    for (let number = 0; number < 1_000; number += 1)
      collector.add(number % 2 === 0 ? ['causes'] : ['agents']);
    expect([passed, waits.length]).toEqual([[], 1]);
    expect(endWait()).toBe(1_000);
    expect(passed).toEqual([['causes', 'agents']]);
  });

  it('waits longer while changes go on, and forgets that after a pause', () => {
    const gaps: (number | undefined)[] = [];
    for (let times = 0; times < 6; times += 1) {
      collector.add(['causes']);
      gaps.push(endWait());
    }
    expect(gaps).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    endWait();
    expect([passed.length, waits]).toEqual([6, []]);
    collector.add(['tokens']);
    expect(endWait()).toBe(1_000);
  });

  it('keeps changes while nobody looks, and passes them on when somebody does', () => {
    isWatched = false;
    collector.add(['agents']);
    endWait();
    collector.resume();
    expect(passed).toEqual([]);
    isWatched = true;
    collector.resume();
    collector.resume();
    expect(passed).toEqual([['agents']]);
  });

  it('does nothing for events that change nothing, or after its stop', () => {
    collector.add([]);
    expect(waits).toEqual([]);
    collector.add(['agents']);
    collector.stop();
    expect([passed, waits]).toEqual([[], []]);
  });
});
