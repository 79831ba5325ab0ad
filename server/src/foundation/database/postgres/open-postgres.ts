import { Kysely, type PostgresPool as KyselyPool, PostgresDialect, sql } from 'kysely';
import type { PostgresDatabase } from '../database.ts';
import type { Tables } from '../tables.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { PostgresPool } from './postgres-pool.ts';

interface PostgresOptions {
  readonly databaseUrl: string;
  /** The setting that holds the URL, for messages. */
  readonly setting?: string;
  readonly onConnectionError: (error: Error) => void;
}

const maxConnections = 10;

/** Opens a PostgreSQL database. It connects on first use and reconnects as needed. */
export function openPostgres({
  databaseUrl,
  setting = 'DATABASE_URL',
  onConnectionError,
}: PostgresOptions): PostgresDatabase {
  const pool = new PostgresPool({
    location: parseDatabaseUrl(databaseUrl),
    setting,
    maxConnections,
    onConnectionError,
  });
  // Its type also requires cursors. Muster does not use them: lists are read in pages.
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as KyselyPool }) });
  return {
    engine: 'postgres',
    read: db,
    search: db,
    write: db,
    postgres: pool,
    async takeLock(trx, name) {
      await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
    },
    async check() {
      await pool.query('select 1', []);
    },
    async close() {
      // Kysely does not close a pool that it has not used.
      await pool.end();
    },
  };
}
