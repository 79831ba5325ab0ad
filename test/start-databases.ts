import { tmpdir } from 'node:os';
import { createMigratedTemplates } from '../server/src/testing/migrated-templates.ts';
import { quickSettings, startPostgresServer } from '../server/src/testing/postgres/postgres-server.ts';
import { memoryFolder } from './memory-folder.ts';

/** Starts one PostgreSQL for all tests, unless MUSTER_TEST_DATABASE_URL names one, and creates the databases that apps copy. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = memoryFolder() ?? tmpdir();
  const given = process.env.MUSTER_TEST_DATABASE_URL;
  if (given !== undefined) return createMigratedTemplates(given, folder);
  const server = await startPostgresServer({
    settings: {
      ...quickSettings,
      max_connections: '300',
      max_wal_size: '256MB',
      // Work in the background on hundreds of databases that live for seconds.
      autovacuum: 'off',
      checkpoint_timeout: '1d',
    },
    parentDirectory: folder,
  });
  process.env.MUSTER_TEST_DATABASE_URL = server.url();
  const removeTemplates = await createMigratedTemplates(server.url(), folder);
  return async () => {
    await removeTemplates();
    await server.remove();
  };
}
