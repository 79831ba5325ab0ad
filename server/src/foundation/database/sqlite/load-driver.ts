import { createRequire } from 'node:module';
import { type Candidate, chooseDriver } from './choose-driver.ts';

export type SqliteDriver = Pick<typeof import('@photostructure/sqlite'), 'DatabaseSync'>;

const require = createRequire(import.meta.url);

/**
 * Node's own SQLite, or the package with the same interface: the first one without the bug that damages databases.
 *
 * @throws Error that says what to do, if both have the bug
 */
export function loadSqliteDriver(): SqliteDriver {
  return chooseDriver<SqliteDriver>([candidate('node:sqlite'), candidate('@photostructure/sqlite')]);
}

/** `require`, because a static import of `node:sqlite` fails before Node 22.5. */
function candidate(name: string): Candidate<SqliteDriver> {
  return {
    name,
    load: () => require(name) as SqliteDriver, // two modules with the same interface
    readVersion({ DatabaseSync }) {
      const connection = new DatabaseSync(':memory:');
      const row = connection.prepare('SELECT sqlite_version() AS version').get();
      connection.close();
      return String(row?.version);
    },
  };
}
