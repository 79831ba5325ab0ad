import { loadSqliteDriver } from '../sqlite/load-driver.ts';
import { BackupError } from './backup-manifest.ts';
import type { BackupPace } from './backup-pace.ts';
import { selectInstallationID } from './installation-id.ts';

/** What a manifest says of a database. */
export interface DatabaseFacts {
  readonly installationID: string;
  readonly migration: string;
  readonly rows: Readonly<Record<string, number>>;
}

/**
 * Checks the structure of a database file that nobody else uses, and counts its rows.
 *
 * @param pace with pauses, table by table; absent: the whole file at once, unused pages included
 * @throws BackupError if it is damaged, or is not the database of an installation
 */
export async function inspectDatabaseFile(file: string, pace?: BackupPace): Promise<DatabaseFacts> {
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(file);
  const all = (sql: string) => connection.prepare(sql).all();
  try {
    // The file may come from anywhere: its schema calls no function that has effects, and each cell is checked.
    connection.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
    const check = (what: string): void => {
      const faults = all(`PRAGMA quick_check(${what})`).map((row) => String(Object.values(row)[0]));
      if (faults.join() !== 'ok')
        throw new BackupError(`${file} is damaged: ${faults.slice(0, 3).join('; ')}.`);
    };
    check(pace === undefined ? '3' : 'sqlite_schema');
    const tables = all(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
    ).map(({ name }) => String(name));
    if (!tables.includes('users') || !tables.includes('kysely_migration')) {
      throw new BackupError(`${file} is not a database of Muster.`);
    }
    const installationID = all(selectInstallationID)[0]?.id;
    if (typeof installationID !== 'string') {
      throw new BackupError(
        'The database has no user yet, so there is nothing to back up: start Muster once, and then run the same command again.',
      );
    }
    const rows: Record<string, number> = {};
    for (const table of tables) {
      if (pace !== undefined) check(`"${table}"`);
      await pace?.rest();
      rows[table] = Number(all(`SELECT count(*) AS count FROM "${table}"`)[0]?.count ?? 0);
      await pace?.rest();
    }
    const migration = String(all('SELECT max(name) AS name FROM kysely_migration')[0]?.name);
    return { installationID, migration, rows };
  } catch (cause) {
    if (cause instanceof BackupError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new BackupError(`${file} is damaged: ${reason}.`, { cause });
  } finally {
    connection.close();
  }
}

/** Makes one plain file of a copied database and its log, which SQLite recovers as after a crash. */
export function mergeLog(file: string): void {
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(file);
  try {
    connection.exec('PRAGMA journal_mode = DELETE');
  } finally {
    connection.close();
  }
}
