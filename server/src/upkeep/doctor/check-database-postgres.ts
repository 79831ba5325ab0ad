import type pg from 'pg';
import { migrationNames } from '../../foundation/database/migrations/migrations.ts';
import { openSession } from '../../foundation/database/postgres/open-session.ts';
import type { DatabaseDescription } from './check-database-sqlite.ts';
import { compareMigrations } from './compare-migrations.ts';
import type { Report } from './finding.ts';
import indexesOfMigrations from './indexes-postgres.json' with { type: 'json' };
import { readIndexes } from './read-indexes-postgres.ts';

const minVersion = 140_000;

/** A PostgreSQL database: whether it answers, its version, clock, tables and indexes. It is only read. */
export async function checkPostgres(
  databaseUrl: string,
  clock: () => number,
  report: Report,
): Promise<DatabaseDescription | undefined> {
  let session: pg.Client;
  try {
    session = await openSession(databaseUrl, 'muster doctor');
  } catch (error) {
    report(
      'failure',
      `The database does not answer: ${error instanceof Error ? error.message : String(error)}`,
      'Correct DATABASE_URL, or start the database, and look at the network between.',
    );
    return undefined;
  }
  try {
    await session.query('set default_transaction_read_only = on');
    return await examine(session, clock, report);
  } catch (error) {
    report(
      'failure',
      `The database cannot be checked: ${error instanceof Error ? error.message : String(error)}.`,
      'Let the user of DATABASE_URL own the database and its tables, and look at the log of PostgreSQL.',
    );
    return undefined;
  } finally {
    await session.end();
  }
}

async function examine(
  session: pg.Client,
  clock: () => number,
  report: Report,
): Promise<DatabaseDescription> {
  const read = async <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> =>
    (await session.query<Row>(sql)).rows;
  const [server] = await read<{ number: number; version: string; durable: string; size: string }>(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as version, current_setting('synchronous_commit') as durable, pg_size_pretty(pg_database_size(current_database())) as size",
  );
  if (server === undefined) throw new TypeError('a server has a version');
  if (server.number < minVersion) {
    report('warning', `PostgreSQL ${server.version} no longer gets fixes.`, 'Upgrade it.');
  } else report('ok', `PostgreSQL ${server.version} answers. The database has ${server.size}.`);
  if (server.durable === 'off') {
    report(
      'failure',
      'synchronous_commit is off: a crash of the database loses reports that were answered with 201.',
      'Set synchronous_commit to on for this database.',
    );
  }
  await compareClocks(session, clock, report);
  const tables = await read<{ name: string }>("select to_regclass('kysely_migration')::text as name");
  const migrations =
    tables[0]?.name == null
      ? []
      : (await read<{ name: string }>('select name from kysely_migration order by name')).map(
          ({ name }) => name,
        );
  const isCurrent = compareMigrations(migrations, migrationNames, report);
  const invalid = await read<{ name: string }>(
    'select indexrelid::regclass::text as name from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = current_schema()::regnamespace and not (indisvalid and indisready)',
  );
  if (invalid.length > 0) {
    report(
      'failure',
      `Indexes are invalid, so that queries are slow or rows may be stored twice: ${invalid.map(({ name }) => name).join(', ')}.`,
      'If no Muster is starting now, which builds them: REINDEX INDEX CONCURRENTLY for each of them.',
    );
  } else report('ok', 'Every index is valid.');
  if (isCurrent) compareIndexes(await readIndexes(session), report);
  return {
    version: server.version,
    migrations,
    schema: (
      await read<{ sql: string }>(
        'select indexdef as sql from pg_indexes where schemaname = current_schema() order by 1',
      )
    ).map(({ sql }) => sql),
    rows: Object.fromEntries(
      (
        await read<{ name: string; rows: string }>(
          "select relname as name, reltuples::bigint as rows from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace order by 1",
        )
      ).map(({ name, rows }) => [name, Number(rows)]),
    ),
  };
}

/** With those that the migrations create. */
function compareIndexes(here: Readonly<Record<string, string>>, report: Report): void {
  const expected: Readonly<Record<string, string>> = indexesOfMigrations;
  const missing = Object.keys(expected).filter((name) => here[name] !== expected[name]);
  if (missing.length === 0) {
    report('ok', 'Every index is there.');
    return;
  }
  report(
    'failure',
    `The database lacks indexes of this version, or has them in another form, so that queries are slow or rows may be stored twice: ${missing.join(', ')}. Somebody has changed the tables by hand, or a restore was not complete.`,
    `Create them again: ${missing.map((name) => `${name} is ${expected[name]}`).join('; ')}.`,
  );
}

async function compareClocks(session: pg.Client, clock: () => number, report: Report): Promise<void> {
  const before = clock();
  const { rows } = await session.query<{ at: string }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::bigint as at',
  );
  const after = clock();
  const there = Number(rows[0]?.at);
  const apart = Math.max(0, there - after, before - there);
  const text = `The clocks of this machine and of the database are ${(apart / 1_000).toFixed(1)} s apart.`;
  const advice = 'Let both machines keep their time with NTP (timedatectl).';
  if (apart > 60_000) report('failure', `${text} Expiries and times are wrong.`, advice);
  else if (apart > 2_000) report('warning', `${text} Times of different replicas are not in order.`, advice);
  else report('ok', text);
}
