import { type RawBuilder, sql } from 'kysely';
import type { PostgresDatabase } from '../database.ts';
import { parseDatabaseUrl } from '../postgres/database-url.ts';
import { openPostgres } from '../postgres/open-postgres.ts';
import { type CopyOrigin, findUnfinishedCopy, startProgress } from './copy-progress.ts';
import { type PageLimits, type PageWords, pageStatement, quoteName, type ReadRows } from './row-pages.ts';
import type { TableShape } from './table-shape.ts';

type Reader = PostgresDatabase['read'];

/** Opens the target database. @throws Error if it does not answer or its encoding cannot store every text */
export async function openCopyTarget(databaseUrl: string): Promise<PostgresDatabase> {
  const target = openPostgres({ databaseUrl, setting: '--to', onConnectionError: () => undefined });
  try {
    const [row] = await target.postgres.query<{ encoding: string }>(
      "select current_setting('server_encoding') as encoding",
      [],
    );
    if (row?.encoding !== 'UTF8') {
      throw new Error(
        `its encoding is ${row?.encoding}, which cannot hold every text: create the database with encoding 'UTF8' and template template0`,
      );
    }
    return target;
  } catch (cause) {
    await target.close();
    throw new Error(
      `The target database on ${describeHosts(databaseUrl)} cannot be used. Nothing was copied. Correct the URL or the server, and run the same command again.`,
      { cause: flattenFailure(cause) },
    );
  }
}

/** @throws Error unless the target is empty or holds an unfinished copy of the same installation */
export async function expectRoomForCopy(db: Reader, origin: CopyOrigin): Promise<void> {
  const unfinished = await findUnfinishedCopy(db);
  if (unfinished !== undefined) {
    if (unfinished.installationID === origin.installationID) return;
    throw new Error(
      `The target database holds an unfinished copy of another installation, from ${unfinished.dataDirectory}. Name another, empty database with --to.`,
    );
  }
  if (!(await hasRows(db, 'users')) && !(await hasRows(db, 'projects'))) return;
  if ((await hasTable(db, 'credential_changes')) && (await hasRows(db, 'users', hasID(origin)))) {
    throw new Error(
      'The target database holds this installation already: an earlier copy of it was finished and verified. Start Muster with DATABASE_URL set to it, or name another, empty database with --to.',
    );
  }
  throw new Error(
    'The target database is not empty: it has users or projects of its own, which a copy would mix up with yours. Nothing was changed. Name another, empty database with --to.',
  );
}

/** Creates the progress table in the target, unless an earlier run did. The tables are already migrated. */
export async function startCopy(target: PostgresDatabase, origin: CopyOrigin): Promise<void> {
  await target.write.transaction().execute(async (trx) => {
    await target.takeLock(trx, 'copy');
    await expectRoomForCopy(trx, origin);
    await startProgress(trx, origin);
  });
}

export async function readTargetMigrations(target: PostgresDatabase): Promise<string[]> {
  const rows = await target.postgres.query<{ name: string }>('select name from kysely_migration', []);
  return rows.map(({ name }) => name).sort();
}

export function targetReaderOf(target: PostgresDatabase, shape: TableShape, limits: PageLimits): ReadRows {
  const words = wordsFor(shape);
  const first = pageStatement(shape, words, limits, false);
  const later = pageStatement(shape, words, limits, true);
  return async (after) => {
    const rows = await target.postgres.query<Record<string, never>>(
      after === undefined ? first : later,
      after === undefined ? [] : [...after],
    );
    return rows.map((row) => shape.columns.map(({ name }) => row[name] ?? null));
  };
}

/** Compares texts as SQLite does, whatever collation the database has. */
function wordsFor({ key, columns }: TableShape): PageWords {
  const typeOf = (part: string) => columns.find(({ name }) => name === part)?.type ?? 'text';
  const keyPart = (part: string) => `${quoteName(part)}${typeOf(part) === 'text' ? ' collate "C"' : ''}`;
  const values = key.map((part, index) => `$${index + 1}::${typeOf(part)}`);
  const [first = ''] = key;
  return {
    from: quoteName,
    keyPart,
    // The first part is also a condition of its own, which an index with another collation can serve.
    isAfterKey: `${keyPart(first)} >= ${values[0]} and (${key.map(keyPart).join(', ')}) > (${values.join(', ')})`,
  };
}

function hasID({ installationID }: CopyOrigin): RawBuilder<boolean> {
  return sql`id = ${installationID}`;
}

async function hasRows(db: Reader, table: string, condition = sql<boolean>`true`): Promise<boolean> {
  if (!(await hasTable(db, table))) return false;
  const { rows } = await sql`select 1 from ${sql.table(table)} where ${condition} limit 1`.execute(db);
  return rows.length > 0;
}

async function hasTable(db: Reader, table: string): Promise<boolean> {
  const { rows } = await sql`select 1 where to_regclass(${table}) is not null`.execute(db);
  return rows.length > 0;
}

function describeHosts(databaseUrl: string): string {
  return parseDatabaseUrl(databaseUrl)
    .hosts.map(({ host, port }) => `${host}:${port}`)
    .join(', ');
}

/** A host name with several addresses fails once for each address, in an error without a message of its own. */
export function flattenFailure(error: unknown): unknown {
  return error instanceof AggregateError
    ? new Error(error.errors.map((one) => (one instanceof Error ? one.message : String(one))).join('; '))
    : error;
}
