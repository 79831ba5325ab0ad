import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresFaults, postgresFaults } from './postgres-faults.ts';

/** The short version; `npm run faults:postgres` is the long one. */
describe('a PostgreSQL primary with a synchronous standby that fails under load', () => {
  let faults: PostgresFaults;
  beforeAll(async () => {
    faults = await PostgresFaults.start(2);
  });
  afterAll(() => faults.end());

  // One after the other on the same servers: the promotion, after which the primary is gone, is the last.
  it.each(postgresFaults)(
    '%s: nothing acknowledged is lost or doubled, counts are exact, and the service is back',
    async (fault) => {
      const figures = await faults.run({
        fault,
        connections: 16,
        steadyMilliseconds: 400,
        awayMilliseconds: 2_500,
      });
      expect(figures).toMatchObject({ lost: 0, doubled: 0, miscounted: 0, exited: 0, unhandled: 0 });
      expect(figures.acknowledged).toBeGreaterThan(0);
      expect(Object.keys(figures.statuses).filter((status) => !['201', '503'].includes(status))).toEqual([]);
      expect(figures.usableAgainMilliseconds).toBeTypeOf('number');
    },
  );
});
