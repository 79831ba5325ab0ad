import { describe, expect, it } from 'vitest';
import { CountingPace, isPaced, nextCountAt } from './counting-pace.ts';

/** Whether each of the turns counts, if there are this many changes for each turn since the last one that counted. */
function turnsOf(changesPerTurn: readonly number[]): boolean[] {
  const pace = new CountingPace(() => 0);
  let waiting = 0;
  return changesPerTurn.map((changes) => {
    waiting += changes;
    const counts = pace.countsInTurn();
    if (counts) {
      pace.noteCounted(waiting);
      waiting = 0;
    }
    return counts;
  });
}

describe('the pace of counting', () => {
  it('is every turn while there are few changes', () => {
    expect(turnsOf([0, 999, 1, 500])).toEqual([true, true, true, true]);
  });

  it('is one turn in four in a storm, and every turn again after it', () => {
    expect(turnsOf([1_000, 1_000, 1_000, 1_000, 1_000, 0, 0, 0, 0, 0])).toEqual([
      true,
      ...[false, false, false, true],
      ...[false, false, false, true],
      true,
    ]);
  });

  it('knows a storm for 10 s after a turn with many changes, and after a read that waited in vain', () => {
    let now = 0;
    const pace = new CountingPace(() => now);
    pace.noteCounted(999);
    expect(pace.isStorm()).toBe(false);
    pace.noteCounted(1_000);
    now = 9_999;
    expect(pace.isStorm()).toBe(true);
    now = 10_000;
    expect(pace.isStorm()).toBe(false);
    pace.noteStorm();
    now = 19_999;
    expect(pace.isStorm()).toBe(true);
    now = 20_000;
    expect(pace.isStorm()).toBe(false);
  });

  it('is a second for all replicas in a storm, and no longer if a clock was wrong', () => {
    expect([999, 1_000].map((changes) => nextCountAt(changes, 5_000))).toEqual([0, 6_000]);
    expect([5_999, 6_000].map((now) => isPaced(6_000, now))).toEqual([true, false]);
    expect(isPaced(6_000, 3_999)).toBe(false);
  });
});
