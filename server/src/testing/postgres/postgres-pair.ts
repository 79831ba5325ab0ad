import { chmodSync, chownSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { createCluster, findFreePort, type PostgresServer, startPostgresServer } from './postgres-server.ts';

/** A primary and a hot standby that follows it. */
export interface PostgresPair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Both hosts in one URL, as operators write it for fail-over. */
  url(database: string): string;
  /** Promotes the standby. The old primary must have stopped. */
  promote(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Durable like a production server: an acknowledged commit is on two disks.
 *
 * @param isSynchronous false: commits do not wait for the standby, so that it may be away
 */
export async function startPostgresPair({ isSynchronous = true } = {}): Promise<PostgresPair> {
  const settings = {
    wal_level: 'replica',
    max_connections: '100',
    hot_standby: 'on',
    wal_keep_size: '256MB',
  };
  const [primaryPort, standbyPort] = [await findFreePort(), await findFreePort()];
  const primaryData = createCluster();
  const standbyData = copyCluster(primaryData, primaryPort);
  const primary = await startPostgresServer({
    dataDirectory: primaryData,
    port: primaryPort,
    settings: { ...settings, synchronous_standby_names: isSynchronous ? '*' : '' },
  });
  const standby = await startPostgresServer({
    dataDirectory: standbyData,
    port: standbyPort,
    // After its promotion it has no standby, so it must not wait for one.
    settings: { ...settings, synchronous_standby_names: '' },
  });
  return {
    primary,
    standby,
    url: (database) =>
      `postgres://muster@127.0.0.1:${primaryPort},127.0.0.1:${standbyPort}/${database}?target_session_attrs=read-write`,
    async promote() {
      const client = new pg.Client({ connectionString: standby.url() });
      await client.connect();
      await client.query('select pg_promote(true, 30)');
      await client.end();
    },
    async remove() {
      await primary.remove();
      await standby.remove();
      rmSync(standbyData, { recursive: true, force: true });
    },
  };
}

/** Copies a cluster that was never started, so that the copy can follow from the first record. */
function copyCluster(source: string, primaryPort: number): string {
  const { account } = findPostgresBinaries();
  const copy = mkdtempSync(join(tmpdir(), 'muster-standby-'));
  cpSync(source, copy, { recursive: true });
  chmodSync(copy, 0o700);
  writeFileSync(join(copy, 'standby.signal'), '');
  writeFileSync(
    join(copy, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${primaryPort} user=muster application_name=standby'\n`,
  );
  if (account !== undefined) chownTree(copy, account.uid, account.gid);
  return copy;
}

function chownTree(directory: string, uid: number, gid: number): void {
  chownSync(directory, uid, gid);
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(directory, path), uid, gid);
  }
}
