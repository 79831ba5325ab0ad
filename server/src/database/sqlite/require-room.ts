import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import type { SqliteDatabase } from '../database.ts';

/** Share of the used pages that a rewritten table with long texts and its log may take. */
const shareOfDatabase = 0.8;
const minBytes = 64 * 1024 * 1024;

/** Bytes on the disk of the database. */
export interface Room {
  readonly directory: string;
  readonly neededBytes: number;
  readonly freeBytes: number;
}

/**
 * A rewrite that was stopped needs room for the rest only: what it has copied already takes its room.
 *
 * @param freeBytesOf returns the free bytes on the disk of a directory.
 * @throws Error if the disk has not enough room to rewrite the largest table. No row was changed then.
 */
export async function requireRoomForRewrite(
  { write }: SqliteDatabase,
  freeBytesOf = readFreeBytes,
): Promise<Room> {
  const { rows } = await sql<{ file: string; page_size: number; page_count: number; free_pages: number }>`
    select file, page_size, page_count, freelist_count as free_pages
    from pragma_database_list, pragma_page_size, pragma_page_count, pragma_freelist_count
    where pragma_database_list.name = 'main'`.execute(write);
  const [database] = rows;
  if (database === undefined) throw new TypeError('an open database has a file');
  const { page_size: pageSize, page_count: pages, free_pages: freePages } = database;
  const copiedShare = await readCopiedShare(write);
  // The used pages hold the copied rows too. They take at most their share of the room that the whole copy takes.
  const oldBytes = ((pages - freePages) * pageSize) / (1 + shareOfDatabase * copiedShare);
  const logBytes = statSync(`${database.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const neededBytes =
    oldBytes * shareOfDatabase * (1 - copiedShare) + Math.max(0, minBytes - logBytes) - freePages * pageSize;
  const directory = dirname(database.file);
  const freeBytes = freeBytesOf(directory);
  if (freeBytes >= neededBytes) return { directory, neededBytes, freeBytes };
  const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
  throw new Error(
    `This version rewrites the stored errors once, which needs ${gigabytes(neededBytes)} of free disk in ${directory}, and ${gigabytes(freeBytes)} are free. ${copiedShare === 0 ? 'Nothing was changed' : 'What was rewritten before is kept'}: free some space and start Muster again, or continue with the previous version.`,
  );
}

/** The share of the errors that a stopped rewrite has copied; 0 if it begins anew. */
async function readCopiedShare(write: SqliteDatabase['write']): Promise<number> {
  const { rows: tables } = await sql`
    select 1 from sqlite_schema where name = 'compact_errors_progress'`.execute(write);
  if (tables.length === 0) return 0;
  const { rows } = await sql<{ copied: number; total: number }>`
    select (select count(*) from agent_error_rows) as copied, (select count(*) from agent_errors) as total
    from compact_errors_progress`.execute(write);
  const [{ copied, total } = { copied: 0, total: 0 }] = rows;
  return total === 0 ? 0 : Math.min(1, copied / total);
}

function readFreeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
