import { statfsSync } from 'node:fs';
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
 * @param freeBytesOf returns the free bytes on the disk of a directory.
 * @throws Error if the disk has not enough room to rewrite the largest table. Nothing was changed then.
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
  const neededBytes = (pages - freePages) * pageSize * shareOfDatabase + minBytes - freePages * pageSize;
  const directory = dirname(database.file);
  const freeBytes = freeBytesOf(directory);
  if (freeBytes >= neededBytes) return { directory, neededBytes, freeBytes };
  const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
  throw new Error(
    `This version rewrites the stored errors once, which needs ${gigabytes(neededBytes)} of free disk in ${directory}, and ${gigabytes(freeBytes)} are free. Nothing was changed: free some space and start Muster again, or continue with the previous version.`,
  );
}

function readFreeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
