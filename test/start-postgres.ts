import { quickSettings, startPostgresServer } from '../server/src/testing/postgres-server.ts';

/** Starts one PostgreSQL for all tests, unless MUSTER_TEST_DATABASE_URL names one. */
export async function setup(): Promise<() => Promise<void>> {
  if (process.env.MUSTER_TEST_DATABASE_URL !== undefined) return async () => undefined;
  const server = await startPostgresServer({ settings: { ...quickSettings, max_connections: '300' } });
  process.env.MUSTER_TEST_DATABASE_URL = server.url();
  return () => server.remove();
}
