import { describe, expect, it } from 'vitest';
import { postgresFaults, runPostgresFault } from './postgres-faults.ts';

/** The short version; `npm run faults:postgres` is the long one. */
describe('a PostgreSQL primary with a synchronous standby that fails under load', () => {
  it.each(postgresFaults)(
    '%s: nothing acknowledged is lost or doubled, and the service is back',
    async (fault) => {
      const figures = await runPostgresFault({
        fault,
        replicas: 2,
        connections: 16,
        steadyMilliseconds: 800,
        awayMilliseconds: 2_500,
      });
      expect(figures).toMatchObject({ lost: 0, doubled: 0, exited: 0, unhandled: 0 });
      expect(figures.acknowledged).toBeGreaterThan(0);
      expect(Object.keys(figures.statuses).filter((status) => !['201', '503'].includes(status))).toEqual([]);
      expect(figures.usableAgainMilliseconds).toBeTypeOf('number');
    },
    240_000,
  );
});
