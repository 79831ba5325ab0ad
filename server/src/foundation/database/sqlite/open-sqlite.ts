import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { lockDataDirectory } from '../data-directory/lock-data-directory.ts';
import { makePrivateFile } from '../data-directory/make-private-file.ts';
import { refuseLostDatabase } from '../data-directory/refuse-lost-database.ts';
import type { SqliteDatabase } from '../database.ts';
import type { Tables } from '../tables.ts';
import { explainFailure } from './explain-failure.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import { SqliteThreads } from './sqlite-threads.ts';

export const sqliteFileName = 'muster.db';

/**
 * Opens the database in a data directory, and creates it if necessary.
 *
 * @throws Error that says what to do, if another process uses the same directory (the memory of this process would become outdated), if the directory
 * or the database cannot be read and written, or if the database of an installation is missing.
 */
export async function openSqlite(
  dataDirectory: string,
  onFatal: (error: Error) => void = () => undefined,
  maxLogMegabytes?: number,
  onNotice?: (notice: string) => void,
): Promise<SqliteDatabase> {
  makeDirectory(dataDirectory);
  const lock = lockDataDirectory(dataDirectory);
  const file = join(dataDirectory, sqliteFileName);
  let threads: SqliteThreads;
  try {
    refuseLostDatabase(dataDirectory, sqliteFileName, lock);
    threads = await openThreads(file, onFatal, maxLogMegabytes, onNotice);
  } catch (error) {
    lock.release();
    throw error;
  }
  lock.noteDatabase();
  const read = new Kysely<Tables>({ dialect: createSqliteDialect(threads, 'read') });
  const search = new Kysely<Tables>({ dialect: createSqliteDialect(threads, 'search') });
  const write = new Kysely<Tables>({ dialect: createSqliteDialect(threads, 'write') });
  return {
    engine: 'sqlite',
    read,
    search,
    write,
    sqlite: threads,
    // Write transactions run one at a time anyway.
    async takeLock() {},
    check: () => threads.check(),
    async close() {
      await read.destroy();
      await search.destroy();
      await write.destroy();
      await threads.close();
      lock.release();
    },
  };
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new Error(
      `The data directory ${directory} cannot be created. Allow Muster to write to its parent directory, or choose another one with MUSTER_DATA_DIR.`,
      { cause },
    );
  }
}

async function openThreads(
  file: string,
  onFatal: (error: Error) => void,
  maxLogMegabytes: number | undefined,
  onNotice: ((notice: string) => void) | undefined,
): Promise<SqliteThreads> {
  try {
    makePrivateFile(file);
    return await SqliteThreads.open(file, onFatal, maxLogMegabytes, onNotice);
  } catch (error) {
    throw explainOpening(file, error);
  }
}

/** Shows the reason why the thread ended before it was ready. */
function explainOpening(file: string, error: unknown): Error {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const message = reason instanceof Error ? explainFailure(reason.message) : String(reason);
  return new Error(`${file} cannot be opened: ${message}`);
}
