import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { to } from 'pg-copy-streams';
import { quoteName } from '../copy/row-pages.ts';
import { openSession } from '../postgres/open-session.ts';
import { BackupError, type BackupFile, backupSessionName } from './backup-manifest.ts';
import type { BackupPace } from './backup-pace.ts';
import { digestFile } from './digest-file.ts';
import { selectInstallationID } from './installation-id.ts';
import { listTables, sequencesFileName } from './postgres-tables.ts';
import { SyncedFile } from './synced-file.ts';
import type { BackupContent } from './write-sqlite-backup.ts';

/** 1 MiB with pages of the usual size. */
const pagesPerRange = 128;
const firstVersionWithRanges = 140_000;

/**
 * Writes every table of a PostgreSQL database into a folder, a file for each, as COPY prints it (PostgreSQL documentation, "COPY", text format). All
 * tables are from one snapshot.
 *
 * @throws Error if the database cannot be reached or has no installation
 */
export async function writePostgresBackup(
  databaseUrl: string,
  folder: string,
  { pace, onTable }: { readonly pace: BackupPace; readonly onTable: (table: string) => void },
): Promise<BackupContent> {
  const session = await openSession(databaseUrl, backupSessionName);
  try {
    await session.query('begin isolation level repeatable read, read only');
    const facts = await readFacts(session);
    const files: BackupFile[] = [];
    const rows: Record<string, number> = {};
    for (const { table, columns } of await listTables(session)) {
      onTable(table);
      const name = `${table}.copy`;
      const file = join(folder, name);
      await copyTable(session, { table, columns }, file, pace);
      const { lines, ...digest } = await digestFile(file, pace);
      await pace.rest();
      // The text format has one line for each row.
      rows[table] = lines;
      files.push({ name, ...digest, columns });
    }
    files.push(await writeSequences(session, folder));
    await session.query('commit');
    return { ...facts, files, rows };
  } finally {
    await session.end();
  }
}

/**
 * Copies a table page range by page range: between two of them, the server has nothing to do. Within one statement, it would go on during a pause until
 * the buffers of the connection, several megabytes, are full.
 */
async function copyTable(
  session: pg.Client,
  { table, columns }: { readonly table: string; readonly columns: readonly string[] },
  file: string,
  pace: BackupPace,
): Promise<void> {
  const names = columns.map(quoteName).join(', ');
  const written = new SyncedFile(file);
  try {
    for (const range of await pageRangesOf(session, table)) {
      const statement = `copy (select ${names} from only ${quoteName(table)} where ${range}) to stdout`;
      await pipeline(session.query(to(statement)), async (rows: AsyncIterable<Buffer>) => {
        for await (const chunk of rows) {
          written.write(chunk);
          // A page may lead to large values that lie elsewhere.
          await pace.restAfterWriting();
        }
      });
      await pace.restAfterWriting();
    }
  } finally {
    written.close();
  }
}

/** Conditions on the place of a row, which together every row meets that the snapshot has. */
async function pageRangesOf(session: pg.Client, table: string): Promise<string[]> {
  const { rows } = await session.query<{ pages: number; version: number }>(
    `select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int as pages,
      current_setting('server_version_num')::int as version`,
    [quoteName(table)],
  );
  const [found] = rows;
  if (found === undefined) throw new TypeError('a table has a size');
  const starts: number[] = [];
  for (let page = pagesPerRange; page < found.pages; page += pagesPerRange) starts.push(page);
  // Earlier ones read the whole table for each range.
  if (found.version < firstVersionWithRanges || starts.length === 0) return ['true'];
  const placeOf = (page: number) => `'(${page},0)'::tid`;
  return [0, ...starts].map((start, index) => {
    const end = starts[index];
    return `ctid >= ${placeOf(start)}${end === undefined ? '' : ` and ctid < ${placeOf(end)}`}`;
  });
}

async function readFacts(session: pg.Client): Promise<{ installationID: string; migration: string }> {
  const exists = async (table: string): Promise<boolean> => {
    const { rows } = await session.query('select 1 where to_regclass($1) is not null', [table]);
    return rows.length > 0;
  };
  if (!(await exists('users')) || !(await exists('kysely_migration'))) {
    throw new BackupError(
      'The database that DATABASE_URL names holds no installation of Muster: it has no tables of Muster. Correct DATABASE_URL.',
    );
  }
  if (await exists('copy_progress')) {
    throw new BackupError(
      'The database that DATABASE_URL names holds an unfinished copy. Finish it with `muster copy`, or name another database.',
    );
  }
  const { rows } = await session.query<{ id: string | null; migration: string }>(
    `select (${selectInstallationID}) as id, (select max(name) from kysely_migration) as migration`,
  );
  const [found] = rows;
  if (found?.id == null) {
    throw new BackupError(
      'The database has no user yet, so there is nothing to back up: start Muster once, and then run the same command again.',
    );
  }
  return { installationID: found.id, migration: found.migration };
}

/** A sequence is not part of the snapshot: it may be ahead of the rows, which is harmless. */
async function writeSequences(session: pg.Client, folder: string): Promise<BackupFile> {
  const { rows } = await session.query<{ name: string; value: string | null }>(
    'select sequencename as name, last_value as value from pg_sequences where schemaname = current_schema() order by 1',
  );
  const used = rows.filter(({ value }) => value !== null);
  const values = Object.fromEntries(used.map(({ name, value }) => [name, String(value)]));
  const file = join(folder, sequencesFileName);
  writeFileSync(file, `${JSON.stringify(values)}\n`, { flag: 'wx', mode: 0o600, flush: true });
  const { bytes, sha256 } = await digestFile(file);
  return { name: sequencesFileName, bytes, sha256 };
}
