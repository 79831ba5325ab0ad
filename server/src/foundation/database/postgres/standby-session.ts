import { Kysely, type PostgresPool as KyselyPool, PostgresDialect } from 'kysely';
import type { Tables } from '../tables.ts';
import type { PostgresLocation } from './database-url.ts';
import { PostgresPool } from './postgres-pool.ts';

/** Connections to one host of MUSTER_READ_DATABASE_URL. */
export interface StandbySession {
  readonly pool: PostgresPool;
  readonly db: Kysely<Tables>;
}

const maxConnections = 10;

/** @param turn which of the hosts: each in turn */
export function openStandbySession({ hosts, ...location }: PostgresLocation, turn: number): StandbySession {
  const host = hosts[turn % hosts.length];
  const pool = new PostgresPool({
    location: { ...location, hosts: host === undefined ? [] : [host], needsReadWrite: false },
    setting: 'MUSTER_READ_DATABASE_URL',
    maxConnections,
    // The next statement fails, and is told of.
    onConnectionError: () => undefined,
  });
  // Its type also requires cursors, which Muster does not use.
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as KyselyPool }) });
  return { pool, db };
}
