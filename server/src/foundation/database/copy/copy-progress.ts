import { type Kysely, sql } from 'kysely';
import type { PostgresDatabase } from '../database.ts';
import type { PostgresPool } from '../postgres/postgres-pool.ts';
import type { Tables } from '../tables.ts';
import { copiedTables } from './copied-tables.ts';
import type { RowKey } from './row-pages.ts';

/**
 * The progress of an unfinished copy, stored in the target: a page of rows and its progress are one commit. The
 * table exists from before the first row until everything is verified. While it exists, the target is not a
 * complete installation.
 */
export interface TableProgress {
  /** Undefined: nothing is copied yet. */
  readonly lastKey: RowKey | undefined;
  readonly rows: number;
  readonly isDone: boolean;
}

/** The source of an unfinished copy. */
export interface CopyOrigin {
  readonly installationID: string;
  readonly dataDirectory: string;
}

/** Undefined: the database holds no unfinished copy. */
export async function findUnfinishedCopy(db: Kysely<Tables>): Promise<CopyOrigin | undefined> {
  const { rows: tables } = await sql`select 1 where to_regclass('copy_progress') is not null`.execute(db);
  if (tables.length === 0) return undefined;
  const { rows } = await sql<CopyOrigin>`
    select installation_id as "installationID", data_directory as "dataDirectory"
    from copy_progress limit 1`.execute(db);
  return rows[0];
}

/** Creates the table, unless an earlier run did. The caller holds a lock. */
export async function startProgress(db: Kysely<Tables>, origin: CopyOrigin): Promise<void> {
  await sql`
    create table if not exists copy_progress (
      table_name text primary key,
      installation_id uuid not null,
      data_directory text not null,
      last_key text,
      row_count bigint not null default 0,
      is_done boolean not null default false
    )`.execute(db);
  for (const { name } of copiedTables) {
    await sql`
      insert into copy_progress (table_name, installation_id, data_directory)
      values (${name}, ${origin.installationID}, ${origin.dataDirectory})
      on conflict (table_name) do update set data_directory = excluded.data_directory`.execute(db);
  }
}

export async function readProgress(target: PostgresPool, table: string): Promise<TableProgress> {
  const [row] = await target.query<{ last_key: string | null; row_count: number; is_done: boolean }>(
    'select last_key, row_count, is_done from copy_progress where table_name = $1',
    [table],
  );
  if (row === undefined) throw new Error(`copy_progress has no row for the table ${table}`);
  return {
    lastKey: row.last_key === null ? undefined : (JSON.parse(row.last_key) as RowKey), // written by this file
    rows: row.row_count,
    isDone: row.is_done,
  };
}

export async function dropProgress(target: PostgresDatabase): Promise<void> {
  await target.postgres.query('drop table copy_progress', []);
}
