import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loadSqliteDriver } from '../../server/src/foundation/database/sqlite/load-driver.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../../server/src/testing/start-test-app.ts';
import { createTestClock } from '../../server/src/testing/test-clock.ts';
import { dropTestDatabase, prepareTestDatabase } from '../../server/src/testing/test-database.ts';

/** A place for an installation: a data directory and, on PostgreSQL, a database that belongs to it. */
export interface Place {
  readonly dataDirectory: string;
  readonly databaseUrl: string | undefined;
  /** The settings of a command that works on it. */
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

export async function makePlace(): Promise<Place> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-backup-'));
  const databaseUrl = await prepareTestDatabase(dataDirectory);
  return {
    dataDirectory,
    databaseUrl,
    env: {
      MUSTER_DATA_DIR: dataDirectory,
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
    async remove() {
      rmSync(dataDirectory, { recursive: true, force: true });
      await dropTestDatabase(dataDirectory);
    },
  };
}

/** The service as `muster serve` runs it: it creates its own administrator and writes the token to a file. */
export async function startInstallation(
  { dataDirectory }: Place,
  options: Pick<TestAppOptions, 'groupIntervalMilliseconds'> = {},
): Promise<{ app: TestApp; admin: string }> {
  const app = await startTestApp({
    ...options,
    dataDirectory,
    clock: createTestClock(),
    config: { adminToken: undefined, maxOpenErrorsPerAgent: 0 },
  });
  return { app, admin: readFileSync(join(dataDirectory, 'admin-token'), 'utf8').trim() };
}

/** A project with agents, errors in groups, a dismissal, and a revoked and a rotated token. */
export async function fill(app: TestApp, admin: string, name = 'fleet'): Promise<{ projectID: string }> {
  const as = { access: admin };
  const { body: project } = await app.request<{ id: string; token: string }>('POST', '/v1/projects', {
    as,
    body: { name },
  });
  for (const host of ['one', 'two']) {
    const texts = Array.from({ length: 200 }, (_, index) => ({
      error: `${host}: fault ${index}\t"\\n\u{1f525}`,
    }));
    await app.request('POST', `/v1/machines/${host}/errors`, { as: { project: project.token }, body: texts });
  }
  const tokens = `/v1/projects/${project.id}/tokens`;
  const { body: revoked } = await app.request<{ id: string }>('POST', tokens, {
    as,
    body: { name: 'revoked' },
  });
  await app.request('DELETE', `/v1/project_tokens/${revoked.id}`, { as });
  const { body: rotated } = await app.request<{ id: string }>('POST', tokens, {
    as,
    body: { name: 'rotated' },
  });
  await app.request('POST', `/v1/project_tokens/${rotated.id}/rotate`, { as, body: { graceSeconds: 600 } });
  await app.request('POST', `/v1/projects/${project.id}/dismissals`, {
    as,
    body: { reason: 'known', filter: { q: 'fault 1' } },
  });
  return { projectID: project.id };
}

/** Every row of every table as text, by table, read without any code of the product. */
export async function readWholeDatabase({
  dataDirectory,
  databaseUrl,
}: Place): Promise<Readonly<Record<string, readonly string[]>>> {
  const rows =
    databaseUrl === undefined
      ? readSqlite(join(dataDirectory, 'muster.db'))
      : await readPostgres(databaseUrl);
  return Object.fromEntries(
    Object.entries(rows).map(([table, found]) => [
      table,
      found.map((row) => JSON.stringify(row, plain)).sort(),
    ]),
  );
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function readSqlite(file: string): Record<string, unknown[]> {
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(file);
  try {
    const all = (sql: string): unknown[] => {
      const statement = connection.prepare(sql);
      statement.setReadBigInts(true);
      return statement.all();
    };
    const schema = all("select type, name, sql from sqlite_schema where name not like 'sqlite_%'");
    const tables = schema.filter((row) => (row as { type: string }).type === 'table'); // as selected
    return {
      schema,
      ...Object.fromEntries(
        tables.map((row) => {
          const { name } = row as { name: string }; // as selected
          return [name, all(`select * from "${name}"`)];
        }),
      ),
    };
  } finally {
    connection.close();
  }
}

async function readPostgres(connectionString: string): Promise<Record<string, unknown[]>> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const all = async (sql: string): Promise<unknown[]> => (await client.query(sql)).rows;
  try {
    const tables = await all("select tablename from pg_tables where schemaname = 'public'");
    const found: Record<string, unknown[]> = {
      indexes: await all("select indexdef from pg_indexes where schemaname = 'public'"),
      triggers: await all('select tgname, tgenabled from pg_trigger where not tgisinternal'),
      sequences: await all("select sequencename, last_value from pg_sequences where schemaname = 'public'"),
    };
    for (const row of tables) {
      const { tablename } = row as { tablename: string }; // as selected
      if (tablename === 'kysely_migration_lock') continue;
      found[tablename] = await all(`select t::text from "${tablename}" t`);
    }
    return found;
  } finally {
    await client.end();
  }
}
