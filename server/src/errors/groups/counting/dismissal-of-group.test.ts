import { describe, expect, it } from 'vitest';
import { followDismissal, type OrderedChange } from './dismissal-of-group.ts';
import { errorChangeKinds } from './error-changes.ts';

const change = (kind: keyof typeof errorChangeKinds, opened: number, at: number | null): OrderedChange => ({
  kind: errorChangeKinds[kind],
  opened,
  isCurrent: true,
  isCreatedCurrent: kind === 'created' && opened === 1,
  hadDismissed: false,
  at,
});
const dismissed = { dismissedAt: 1_000, partlyDismissedAt: null, regressedAt: null, regressedBefore: null };
const open = { dismissedAt: null, partlyDismissedAt: null, regressedAt: null, regressedBefore: null };

it('regresses with an error of the very millisecond in which the last one was dismissed', () => {
  const regressed = { ...open, regressedAt: 1_000 };
  expect(followDismissal(dismissed, [change('created', 1, 1_000)], 1)).toEqual(regressed);
  const both = [change('dismissed', -1, 1_000), change('created', 1, 1_000)];
  expect(followDismissal(open, both, 1)).toEqual(regressed);
});

it('is no longer dismissed, and does not regress, with a current error that happened before and is passed on late', () => {
  const partly = { ...open, partlyDismissedAt: 1_000 };
  expect(followDismissal(dismissed, [change('created', 1, 999)], 1)).toEqual(partly);
});

it('does not change with an error of an earlier configuration that was created before, as moved ones are, or one that was stored as dismissed', () => {
  const moved = { ...change('created', 1, 999), isCreatedCurrent: false };
  expect(followDismissal(dismissed, [moved], 1)).toEqual(dismissed);
  expect(followDismissal(dismissed, [change('created', 0, 1_001)], 0)).toEqual(dismissed);
});

it('is completely dismissed only with its last current error', () => {
  const changes = [change('dismissed', -1, 2_000), change('dismissed', -1, 3_000)];
  expect(followDismissal(open, changes, 0)).toEqual({ ...open, dismissedAt: 3_000 });
  expect(followDismissal(open, changes, 1)).toEqual({ ...open, partlyDismissedAt: 3_000 });
});

it('regresses, once, if newer errors are open when the dismissal of all ends', () => {
  const regressed = { ...open, regressedAt: 1_500 };
  const changes = [change('created', 1, 1_500), change('dismissed', -1, 1_000), change('outlived', 0, 1_500)];
  expect(followDismissal(open, changes, 1)).toEqual(regressed);
  expect(followDismissal(dismissed, changes.slice(0, 1).concat(changes.slice(2)), 1)).toEqual(regressed);
  expect(followDismissal(regressed, [change('outlived', 0, 1_500)], 1)).toEqual(regressed);
});

it('does not regress if the newer errors were dismissed before they were counted', () => {
  const changes = [change('dismissed', -1, 2_000), change('outlived', 0, 1_500)];
  expect(followDismissal(open, changes, 0)).toEqual({ ...open, dismissedAt: 2_000 });
});

describe('a group of which some errors were dismissed', () => {
  const partly = { ...open, partlyDismissedAt: 1_000 };
  const returned = (at: number) => ({ ...change('created', 1, at), hadDismissed: true });

  it('regresses, once, when an agent has an error again that was dismissed', () => {
    const changes = [change('dismissed', -1, 1_000), returned(1_000), returned(2_000)];
    expect(followDismissal(open, changes, 3)).toEqual({ ...open, regressedAt: 1_000 });
    expect(followDismissal(partly, [returned(3_000)], 3)).toEqual({ ...open, regressedAt: 3_000 });
  });

  it('does not regress with agents that never had it, nor with errors from before', () => {
    expect(followDismissal(partly, [change('created', 1, 3_000)], 3)).toEqual(partly);
    expect(followDismissal(partly, [returned(999)], 3)).toEqual(partly);
    expect(followDismissal(partly, [{ ...returned(3_000), opened: 0 }], 3)).toEqual(partly);
  });

  it('does not regress again with what the same dismissal does afterwards', () => {
    const changes = [
      change('dismissed', -1, 1_000),
      returned(1_500),
      change('dismissed', -1, 1_000),
      returned(2_000),
    ];
    expect(followDismissal(open, changes, 3)).toEqual({ ...open, regressedAt: 1_500 });
  });

  it('is not dismissed in part by what is no longer current', () => {
    const superseded = { ...change('dismissed', -1, 1_000), isCurrent: false };
    expect(followDismissal(open, [superseded], 3)).toEqual(open);
  });

  it('may be what a reopened error has left of a complete dismissal', () => {
    expect(followDismissal(dismissed, [change('reopened', 1, 2_000)], 1)).toEqual(partly);
  });
});

describe('a group of which a dismissal is undone', () => {
  const back = { ...open, regressedAt: 500 };
  const undone = change('undone', 0, 1_000);
  const returned = { ...change('created', 1, 1_100), hadDismissed: true };

  it.each([
    ['had not come back', open],
    ['had come back', back],
  ])('is as it was if it %s, whatever came back meanwhile', (_, before) => {
    const all = [change('dismissed', -1, 1_000)];
    const reopened = change('reopened', 1, null);
    const restored = { ...before, regressedBefore: before.regressedAt };
    expect(followDismissal(before, [...all, reopened, undone], 1)).toEqual(restored);
    expect(followDismissal(before, [...all, returned, undone], 1)).toEqual(restored);
    expect(followDismissal(before, [...all, returned, reopened, undone], 2)).toEqual(restored);
    // Of some errors: others are open all the time.
    expect(followDismissal(before, [...all, returned, undone], 2)).toEqual(restored);
    // What came back was counted before the dismissal that it has outlived.
    const outlived = [{ ...returned, hadDismissed: false }, ...all, change('outlived', 0, 1_100)];
    expect(followDismissal(before, [...outlived, undone], 1)).toEqual(restored);
  });

  it('stays dismissed by a later dismissal', () => {
    const later = { ...open, dismissedAt: 2_000, regressedBefore: 1_100 };
    expect(followDismissal(later, [undone], 0)).toEqual(later);
  });

  it('has come back if that was before the dismissal', () => {
    const changes = [change('dismissed', -1, 1_000), change('reopened', 1, null), undone];
    expect(followDismissal(back, changes, 1).regressedAt).toBe(500);
    const undoneBefore = followDismissal({ ...open, regressedAt: 2_000 }, [change('undone', 0, 2_500)], 1);
    expect(undoneBefore.regressedAt).toBe(2_000);
  });
});
