import { expect, it } from 'vitest';
import keptSeeds from '../kept-seeds.json' with { type: 'json' };
import { readSource } from './source-files.ts';

it('every kept seed names a random test and an engine, so that it is replayed', () => {
  const idle = keptSeeds.filter(
    ({ seed, engine, file }) =>
      !Number.isInteger(seed) ||
      !['sqlite', 'postgres'].includes(engine) ||
      !/from 'fast-check'|MUSTER_TEST_SEED/.test(readSource(file)),
  );
  expect(idle).toEqual([]);
});
