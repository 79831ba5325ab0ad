import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import { quoteName } from '../copy/row-pages.ts';
import { migrateTo } from '../migrate.ts';
import { openPostgres } from '../postgres/open-postgres.ts';
import { openSession } from '../postgres/open-session.ts';
import { BackupError, type BackupManifest } from './backup-manifest.ts';
import { listTables, sequencesFileName } from './postgres-tables.ts';
import type { ReplacedFiles } from './restore-sqlite.ts';

interface PostgresRestore {
  readonly databaseUrl: string;
  /** A verified backup. */
  readonly folder: string;
  readonly manifest: BackupManifest;
  readonly onProgress: (what: string) => void;
}

/**
 * Fills an empty PostgreSQL database from a verified backup. The tables are made first, as they were when the backup was made; then one transaction
 * stores all rows or none.
 */
export async function restorePostgres({
  databaseUrl,
  folder,
  manifest,
  onProgress,
}: PostgresRestore): Promise<ReplacedFiles> {
  const session = await openSession(databaseUrl, 'muster restore');
  try {
    await expectUnused(session);
    await expectEmpty(session);
    await expectNoLaterMigration(session, manifest);
    const database = openPostgres({ databaseUrl, onConnectionError: () => undefined });
    try {
      await migrateTo(database, manifest.migration);
    } finally {
      await database.close();
    }
    await session.query('begin');
    // A service that starts meanwhile waits for this lock before it makes an installation of its own.
    await session.query("select pg_advisory_xact_lock(hashtextextended('first start', 0))");
    await expectEmpty(session);
    await fillTables(session, folder, manifest, onProgress);
    await setSequences(session, folder);
    await session.query('commit');
    await session.query('analyze');
    return { putAside: undefined };
  } finally {
    // Without a commit, the server rolls everything back.
    await session.end();
  }
}

/** Whether an access token with this digest is not revoked. */
export async function isTokenOnPostgres(databaseUrl: string, digest: string): Promise<boolean> {
  const session = await openSession(databaseUrl, 'muster restore');
  try {
    const { rows } = await session.query(
      'select 1 from access_tokens where digest = $1 and revoked_at is null',
      [digest],
    );
    return rows.length > 0;
  } finally {
    await session.end();
  }
}

async function expectUnused(session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ pid: number; address: string }>(`
    select pid, coalesce(host(client_addr), 'this machine') as address from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name ~ '^muster( \\d+)?$'`);
  const [first] = rows;
  if (first === undefined) return;
  throw new BackupError(
    `Nothing was restored, because a running Muster uses the database, from ${first.address} (process ${first.pid} of PostgreSQL). Stop every replica first.`,
  );
}

async function expectEmpty(session: pg.Client): Promise<void> {
  for (const table of ['users', 'projects', 'copy_progress']) {
    const { rows: tables } = await session.query('select 1 where to_regclass($1) is not null', [table]);
    if (tables.length === 0) continue;
    const { rows } = await session.query(`select 1 from ${table} limit 1`);
    if (rows.length === 0) continue;
    throw new BackupError(
      'The database that DATABASE_URL names is not empty: it holds an installation. Nothing was changed. Create another database, restore into it, and start Muster with it; the former one stays as it is.',
    );
  }
}

async function expectNoLaterMigration(session: pg.Client, { migration }: BackupManifest): Promise<void> {
  const { rows: tables } = await session.query("select 1 where to_regclass('kysely_migration') is not null");
  if (tables.length === 0) return;
  const { rows } = await session.query<{ name: string }>(
    'select name from kysely_migration where name > $1 order by name limit 1',
    [migration],
  );
  if (rows[0] === undefined) return;
  throw new BackupError(
    `The tables of the database are newer than the backup: they have the migration ${rows[0].name}. Nothing was changed. Create an empty database and restore into it.`,
  );
}

async function fillTables(
  session: pg.Client,
  folder: string,
  { files, rows }: BackupManifest,
  onProgress: (what: string) => void,
): Promise<void> {
  const tables = await listTables(session);
  const names = tables.map(({ table }) => quoteName(table));
  // Triggers count and queue what is stored. The backup has their results already.
  for (const name of names) await session.query(`alter table ${name} disable trigger user`);
  // Migrations store some rows of their own.
  await session.query(`truncate ${names.join(', ')}`);
  const expected = files.filter(({ name }) => name.endsWith('.copy')).map(({ name }) => name);
  const found = tables.map(({ table }) => `${table}.copy`);
  if (expected.toSorted().join() !== found.toSorted().join()) {
    throw new BackupError(
      'The tables of the database are not those of the backup. Nothing was changed. Create an empty database and restore into it.',
    );
  }
  for (const { table } of tables) {
    onProgress(table);
    const file = files.find(({ name }) => name === `${table}.copy`);
    const columns = (file?.columns ?? []).map(quoteName).join(', ');
    const input = session.query(from(`copy ${quoteName(table)} (${columns}) from stdin`));
    await pipeline(createReadStream(join(folder, `${table}.copy`)), input);
    if (input.rowCount !== rows[table]) {
      throw new Error(`${table} has ${input.rowCount} rows after the restore, and not ${rows[table]}`);
    }
  }
  for (const name of names) await session.query(`alter table ${name} enable trigger user`);
}

async function setSequences(session: pg.Client, folder: string): Promise<void> {
  const values: unknown = JSON.parse(readFileSync(join(folder, sequencesFileName), 'utf8'));
  for (const [name, value] of Object.entries(values ?? {})) {
    await session.query('select setval($1::regclass, $2::bigint)', [quoteName(name), String(value)]);
  }
}
