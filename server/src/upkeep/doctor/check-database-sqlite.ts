import { accessSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuseLostDatabase } from '../../foundation/database/data-directory/refuse-lost-database.ts';
import { migrate } from '../../foundation/database/migrate.ts';
import { migrationNames } from '../../foundation/database/migrations/migrations.ts';
import { openSqlite, sqliteFileName } from '../../foundation/database/sqlite/open-sqlite.ts';
import { compareMigrations } from './compare-migrations.ts';
import type { Report } from './finding.ts';
import { readSqlite } from './read-sqlite.ts';

/** What a support file says of a database: no value of any row. */
export interface DatabaseDescription {
  readonly version: string;
  readonly migrations: readonly string[];
  /** Statements that create the tables, indexes and triggers. */
  readonly schema: readonly string[];
  readonly rows: Readonly<Record<string, number>>;
}

/** The embedded database: its structure, its tables and indexes, its times. It is only read, also beside a running service. */
export async function checkSqlite(
  dataDirectory: string,
  now: number,
  report: Report,
): Promise<DatabaseDescription | undefined> {
  const file = join(dataDirectory, sqliteFileName);
  try {
    refuseLostDatabase(dataDirectory, sqliteFileName, { hasHeldDatabase: false });
  } catch (error) {
    report(
      'failure',
      error instanceof Error ? error.message : String(error),
      'Restore the newest backup (muster restore), or correct MUSTER_DATA_DIR or DATABASE_URL.',
    );
    return undefined;
  }
  if (!existsSync(file)) {
    report(
      'note',
      `There is no database in ${dataDirectory} yet. The first start of the service creates it.`,
    );
    return undefined;
  }
  const closed = [file, `${file}-wal`, `${file}-shm`].filter((one) => existsSync(one) && !isOpenToUser(one));
  if (closed.length > 0) {
    report(
      'failure',
      `This user cannot read and write ${closed.join(', ')}, so the database was not checked.`,
      'Run the command as the user of the service, or give the files to that user (chown) with mode 0600.',
    );
    return undefined;
  }
  try {
    const description = readDescription(file);
    report('ok', `SQLite ${description.version} reads ${file}, and its structure is intact.`);
    if (compareMigrations(description.migrations, migrationNames, report)) {
      await compareSchema(file, description, report);
    }
    checkTimes(file, now, report);
    return description;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    report(
      'failure',
      `${file} cannot be read as a database of Muster: ${reason}.`,
      isObstacle.test(reason)
        ? "Look at the room on the disk of the data directory, at its permissions, and at the system's log (dmesg), and run the command again. The database itself may be whole."
        : 'Stop Muster, keep a copy of the data directory, and restore the newest backup that `muster backup --verify` finds whole.',
    );
    return undefined;
  }
}

/** What keeps SQLite from reading a file that need not be damaged. */
const isObstacle = /unable to open|disk I\/O error|is full|readonly|locked|busy/;

function isOpenToUser(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readDescription(file: string): DatabaseDescription {
  return readSqlite(file, (all) => {
    const faults = all('PRAGMA quick_check(3)').map((row) => String(Object.values(row)[0]));
    if (faults.join() !== 'ok') throw new Error(faults.join('; '));
    const schema = all(
      "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' ORDER BY name",
    );
    const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => String(name));
    return {
      version: String(all('SELECT sqlite_version() AS version')[0]?.version),
      migrations: all('SELECT name FROM kysely_migration ORDER BY name').map(({ name }) => String(name)),
      schema: schema.map(({ sql }) => String(sql)),
      rows: Object.fromEntries(
        tables.map((name) => [name, Number(all(`SELECT count(*) AS count FROM "${name}"`)[0]?.count)]),
      ),
    };
  });
}

/** With the tables that this version makes in an empty directory. */
async function compareSchema(file: string, { schema }: DatabaseDescription, report: Report): Promise<void> {
  const expected = await readExpectedSchema(report);
  if (expected === undefined) return;
  const missing = expected.filter((sql) => !schema.includes(sql)).map(nameOf);
  // An index of an operator is harmless. A trigger or a view changes what the service reads and writes.
  const foreign = schema.filter((sql) => /^create (trigger|view)/i.test(sql) && !expected.includes(sql));
  if (foreign.length > 0) {
    report(
      'failure',
      `${file} has triggers or views that no version of Muster creates: ${foreign.map(nameOf).join(', ')}. Somebody has changed the tables, or the backup that they are from.`,
      'Find out who did it. Then stop Muster, keep a copy of the data directory, and restore a backup that you trust.',
    );
  }
  if (missing.length === 0) {
    report('ok', 'Every table and index is there.');
    return;
  }
  report(
    'failure',
    `${file} lacks what this version needs, or has it in another form: ${missing.join(', ')}. Somebody has changed the tables by hand.`,
    'Stop Muster, keep a copy of the data directory, and restore a backup from before the change.',
  );
}

/** Undefined if there is no room for a temporary database. */
async function readExpectedSchema(report: Report): Promise<readonly string[] | undefined> {
  let directory: string | undefined;
  try {
    directory = mkdtempSync(join(tmpdir(), 'muster-doctor-'));
    const database = await openSqlite(directory);
    try {
      await migrate(database);
    } finally {
      await database.close();
    }
    return readDescription(join(directory, sqliteFileName)).schema;
  } catch (error) {
    report(
      'warning',
      `The tables and indexes were not compared with those of this version, because no temporary database could be made: ${error instanceof Error ? error.message : String(error)}.`,
      'Name a directory that this user can write to with TMPDIR, and make room for 10 MB on its disk.',
    );
    return undefined;
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  }
}

function nameOf(sql: string): string {
  return /^create (?:unique )?(?:table|index|trigger|view) (?:if not exists )?"?(\w+)/i.exec(sql)?.[1] ?? sql;
}

/** The embedded database has no clock of its own: times in it that are in the future show that the machine's clock was set back. */
function checkTimes(file: string, now: number, report: Report): void {
  const newest = readSqlite(file, (all) =>
    Number(
      all(
        'SELECT max(created_at) AS at FROM (SELECT max(created_at) AS created_at FROM agents UNION ALL SELECT max(created_at) FROM project_tokens)',
      )[0]?.at ?? 0,
    ),
  );
  if (newest - now < 60_000) return;
  report(
    'warning',
    `The newest rows are of ${new Date(newest).toISOString()}, which is in the future: the clock of this machine was set back. Times in lists are wrong until then.`,
    'Let the machine keep its time with NTP (timedatectl).',
  );
}
