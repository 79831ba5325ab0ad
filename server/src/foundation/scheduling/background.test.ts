import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withResolvers } from '../with-resolvers.ts';
import { Background } from './background.ts';

let closing: AbortController;
let failures: unknown[];
let background: Background;
let now: number;

beforeEach(() => {
  vi.useFakeTimers();
  closing = new AbortController();
  failures = [];
  now = 0;
  background = new Background({
    monotonic: () => now,
    closing: closing.signal,
    onFailure: (error) => failures.push(error),
  });
});

afterEach(() => void vi.useRealTimers());

it('does each work again this long after its end, so that it never runs twice at a time', async () => {
  let starts = 0;
  const { promise, resolve } = withResolvers<void>();
  background.every(1_000, () => {
    starts += 1;
    return starts === 1 ? promise : Promise.resolve();
  });
  await vi.advanceTimersByTimeAsync(999);
  expect(starts).toBe(0);
  await vi.advanceTimersByTimeAsync(5_001);
  expect(starts).toBe(1);
  resolve();
  await vi.advanceTimersByTimeAsync(999);
  expect(starts).toBe(1);
  await vi.advanceTimersByTimeAsync(1_001);
  expect(starts).toBe(3);
});

it('spends no more of the time on work that takes long than it is told', async () => {
  let runs = 0;
  background.every(
    1_000,
    async () => {
      runs += 1;
      now += 3_000;
    },
    2,
  );
  await vi.advanceTimersByTimeAsync(6_999);
  expect(runs).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(runs).toBe(2);
});

it('otherwise waits no longer for work that took long, such as for a channel that hangs', async () => {
  let runs = 0;
  background.every(1_000, async () => {
    runs += 1;
    now += 30_000;
  });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(runs).toBe(2);
});

it('goes on after a failure, and reports it once until the work has succeeded', async () => {
  let runs = 0;
  let isBroken = true;
  const broken = new Error('no database');
  background.every(1_000, async () => {
    runs += 1;
    if (isBroken) throw broken;
  });
  await vi.advanceTimersByTimeAsync(3_000);
  expect([runs, failures]).toEqual([3, [broken]]);
  isBroken = false;
  await vi.advanceTimersByTimeAsync(1_000);
  isBroken = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect([runs, failures]).toEqual([5, [broken, broken]]);
});

it('starts nothing once the service closes, waits for what is under way, and does not report its failure', async () => {
  let runs = 0;
  const { promise, reject } = withResolvers<void>();
  background.every(1_000, () => {
    runs += 1;
    return promise;
  });
  background.every(5_000, async () => {
    runs += 1;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  closing.abort();
  let hasEnded = false;
  const ended = background.end().then(() => {
    hasEnded = true;
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect([runs, hasEnded]).toEqual([1, false]);
  reject(new Error('the database is closed'));
  await ended;
  await vi.advanceTimersByTimeAsync(10_000);
  expect([runs, failures]).toEqual([1, []]);
});
