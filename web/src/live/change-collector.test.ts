import { beforeEach, describe, expect, it } from 'vitest';
import { ChangeCollector } from './change-collector.ts';
import { HeldTimer } from './testing/held-timer.ts';

let passed: string[][];
let timer: HeldTimer;
let isWatched: boolean;
let collector: ChangeCollector;

beforeEach(() => {
  passed = [];
  timer = new HeldTimer();
  isWatched = true;
  collector = new ChangeCollector({
    timer,
    isWatched: () => isWatched,
    onChanges: (topics) => passed.push([...topics]),
  });
});

describe('a collector of changes', () => {
  it('passes a thousand changes on at once, after a second', () => {
    for (let number = 0; number < 1_000; number += 1)
      collector.add(number % 2 === 0 ? ['causes'] : ['agents']);
    expect([passed, timer.waits.length]).toEqual([[], 1]);
    expect(timer.endWait()).toBe(1_000);
    expect(passed).toEqual([['causes', 'agents']]);
  });

  it('waits longer while changes go on, and forgets that after a pause', () => {
    const gaps: (number | undefined)[] = [];
    for (let times = 0; times < 6; times += 1) {
      collector.add(['causes']);
      gaps.push(timer.endWait());
    }
    expect(gaps).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    timer.endWait();
    expect([passed.length, timer.waits]).toEqual([6, []]);
    collector.add(['tokens']);
    expect(timer.endWait()).toBe(1_000);
  });

  it('keeps changes while nobody looks, and passes them on when somebody does', () => {
    isWatched = false;
    collector.add(['agents']);
    timer.endWait();
    collector.resume();
    expect(passed).toEqual([]);
    isWatched = true;
    collector.resume();
    collector.resume();
    expect(passed).toEqual([['agents']]);
  });

  it('does nothing for events that change nothing, or after its stop', () => {
    collector.add([]);
    expect(timer.waits).toEqual([]);
    collector.add(['agents']);
    collector.stop();
    expect([passed, timer.waits]).toEqual([[], []]);
  });
});
