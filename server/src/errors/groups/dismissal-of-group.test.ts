import { expect, it } from 'vitest';
import { followDismissal, type OrderedChange } from './dismissal-of-group.ts';
import { errorChangeKinds } from './error-changes.ts';

const change = (kind: keyof typeof errorChangeKinds, opened: number, at: number | null): OrderedChange => ({
  kind: errorChangeKinds[kind],
  opened,
  isCurrent: true,
  at,
});
const dismissed = { dismissedAt: 1_000, regressedAt: null };
const open = { dismissedAt: null, regressedAt: null };

it('regresses with an error of the very millisecond in which the last one was dismissed', () => {
  const regressed = { dismissedAt: null, regressedAt: 1_000 };
  expect(followDismissal(dismissed, [change('created', 1, 1_000)], 1)).toEqual(regressed);
  const both = [change('dismissed', -1, 1_000), change('created', 1, 1_000)];
  expect(followDismissal(open, both, 1)).toEqual(regressed);
});

it('does not regress with an error that was created before, as copied ones are, or stored as dismissed', () => {
  expect(followDismissal(dismissed, [change('created', 1, 999)], 1)).toEqual(dismissed);
  expect(followDismissal(dismissed, [change('created', 0, 1_001)], 0)).toEqual(dismissed);
  expect(followDismissal(dismissed, [change('created', 1, null)], 1)).toEqual(dismissed);
});

it('is completely dismissed only with its last current error', () => {
  const changes = [change('dismissed', -1, 2_000), change('dismissed', -1, 3_000)];
  expect(followDismissal(open, changes, 0)).toEqual({ dismissedAt: 3_000, regressedAt: null });
  expect(followDismissal(open, changes, 1)).toEqual(open);
});

it('regresses, once, if newer errors are open when the dismissal of all ends', () => {
  const regressed = { dismissedAt: null, regressedAt: 1_500 };
  const changes = [change('created', 1, 1_500), change('dismissed', -1, 1_000), change('outlived', 0, 1_500)];
  expect(followDismissal(open, changes, 1)).toEqual(regressed);
  expect(followDismissal(dismissed, changes.slice(0, 1).concat(changes.slice(2)), 1)).toEqual(regressed);
  expect(followDismissal(regressed, [change('outlived', 0, 1_500)], 1)).toEqual(regressed);
});

it('does not regress if the newer errors were dismissed before they were counted', () => {
  const changes = [change('dismissed', -1, 2_000), change('outlived', 0, 1_500)];
  expect(followDismissal(open, changes, 0)).toEqual({ dismissedAt: 2_000, regressedAt: null });
});
