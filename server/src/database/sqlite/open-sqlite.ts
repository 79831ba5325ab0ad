import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import type { SqliteDatabase } from '../database.ts';
import type { Tables } from '../tables.ts';
import { lockDataDirectory } from './lock-data-directory.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import { SqliteThreads } from './sqlite-threads.ts';

export const sqliteFileName = 'muster.db';

/**
 * Opens, and if need be creates, the database in a data directory.
 *
 * @throws Error when another process serves the same directory: what is held in memory here would go stale.
 */
export async function openSqlite(
  dataDirectory: string,
  onFatal: (error: Error) => void = () => undefined,
): Promise<SqliteDatabase> {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const unlock = lockDataDirectory(dataDirectory);
  const threads = await SqliteThreads.open(join(dataDirectory, sqliteFileName), onFatal).catch(
    (error: unknown) => {
      unlock();
      throw error;
    },
  );
  const read = new Kysely<Tables>({ dialect: createSqliteDialect(threads, 'read') });
  const write = new Kysely<Tables>({ dialect: createSqliteDialect(threads, 'write') });
  return {
    engine: 'sqlite',
    read,
    write,
    sqlite: threads,
    // Transactions that write run one at a time anyway.
    async takeLock() {},
    async check() {
      await threads.reader.execute({ sql: 'select 1', parameters: [] });
    },
    async close() {
      await read.destroy();
      await write.destroy();
      await threads.close();
      unlock();
    },
  };
}
