import { expect, it } from 'vitest';
import { runFuzz } from './fuzz/run-fuzz.ts';

const seed = Number(process.env.MUSTER_TEST_SEED);

it(`answers thousands of invalid requests as documented (seed ${seed})`, async () => {
  const { requests, statuses } = await runFuzz({ seed, count: 4_000, connections: 8 });
  expect(requests).toBe(4_000);
  // The requests passed the first checks and reached all others.
  expect(Object.keys(statuses)).toEqual(
    expect.arrayContaining(['200', '201', '204', '400', '401', '403', '404', '410', '415', '422']),
  );
});
