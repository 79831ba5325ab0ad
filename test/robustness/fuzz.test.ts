import { expect, it } from 'vitest';
import { takesAllRounds } from '../rounds.ts';
import { runFuzz } from './fuzz/run-fuzz.ts';

const seed = Number(process.env.MUSTER_TEST_SEED);
const count = takesAllRounds ? 4_000 : 1_500;

it(`answers ${count} invalid requests as documented (seed ${seed})`, async () => {
  const { requests, statuses } = await runFuzz({ seed, count, connections: 8 });
  expect(requests).toBe(count);
  // The requests passed the first checks and reached all others.
  expect(Object.keys(statuses)).toEqual(
    expect.arrayContaining(['200', '201', '204', '400', '401', '403', '404', '410', '415', '422']),
  );
});
