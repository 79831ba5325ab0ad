import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { findPostgresBinaries } from '../../server/src/testing/postgres/postgres-binaries.ts';
import { createCluster, startPostgresServer } from '../../server/src/testing/postgres/postgres-server.ts';
import type { Closing } from '../processes/closing.ts';
import { processorMicroseconds } from '../processes/process-usage.ts';

/** A PostgreSQL server that holds the databases of runs and the kept data sets. */
export interface PostgresHome {
  /** With its version, for people. */
  readonly name: string;
  /** An empty database, or a copy of another one, dropped when `closing` closes; returns its URL. */
  createScratchDatabase(closing: Closing, template?: string): Promise<string>;
  hasDatabase(name: string): Promise<boolean>;
  /** Names with this prefix. */
  listDatabases(start: string): Promise<string[]>;
  renameDatabase(from: string, to: string): Promise<void>;
  dropDatabase(name: string): Promise<void>;
  url(name: string): string;
  measureUse(): Promise<PostgresUse>;
}

/** What the whole server has used so far. */
interface PostgresUse {
  /** Bytes of its log. */
  readonly walBytes: number;
  /** Of the processes that run now. 0 if it runs elsewhere. */
  readonly processorMicroseconds: number;
}

const clusterName = 'postgres';
const scratchPrefix = 'muster_bench_run_';

/**
 * Durable as by default (fsync, synchronous_commit and full_page_writes are on). Memory and checkpoint distance are those of
 * a small production server, because PostgreSQL's defaults are for much older machines.
 */
const settings = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '512MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  maintenance_work_mem: '512MB',
};

/** The operator's server (MUSTER_BENCH_DATABASE_URL), or one from npm whose data is in `keptDirectory`. */
export async function openPostgresHome(closing: Closing, keptDirectory: string): Promise<PostgresHome> {
  const given = process.env.MUSTER_BENCH_DATABASE_URL;
  const home = new Home(given ?? (await startKeptServer(closing, keptDirectory)));
  await home.open();
  return home;
}

async function startKeptServer(closing: Closing, keptDirectory: string): Promise<string> {
  const binaries = findPostgresBinaries();
  const dataDirectory = join(keptDirectory, clusterName);
  // Created elsewhere and moved, so that an incomplete one is never used.
  if (!isCluster(dataDirectory)) {
    rmSync(dataDirectory, { recursive: true, force: true });
    renameSync(createCluster(binaries), dataDirectory);
  }
  const server = await startPostgresServer({ dataDirectory, settings });
  closing.add(() => server.stop());
  return server.url();
}

function isCluster(directory: string): boolean {
  return existsSync(directory) && readdirSync(directory).includes('PG_VERSION');
}

class Home implements PostgresHome {
  readonly #url: string;
  #name = 'PostgreSQL';
  #lastScratch = 0;

  constructor(url: string) {
    this.#url = url;
  }

  get name(): string {
    return this.#name;
  }

  /** Drops the databases of killed runs. */
  async open(): Promise<void> {
    const [row] = await this.#query<{ server_version: string }>('show server_version');
    this.#name = `PostgreSQL ${row?.server_version ?? ''}`.trim();
    for (const name of await this.listDatabases(scratchPrefix)) await this.dropDatabase(name);
  }

  url(name: string): string {
    const url = new URL(this.#url);
    url.pathname = `/${name}`;
    return url.toString();
  }

  async createScratchDatabase(closing: Closing, template = 'template1'): Promise<string> {
    this.#lastScratch += 1;
    const name = `${scratchPrefix}${process.pid}_${this.#lastScratch}`;
    // Ctrl-C may have reached the server first: then the next run drops it.
    closing.add(() => this.dropDatabase(name).catch(() => undefined));
    await this.#query(`create database ${name} template ${template}`);
    return this.url(name);
  }

  async hasDatabase(name: string): Promise<boolean> {
    return (await this.listDatabases(name)).includes(name);
  }

  async listDatabases(start: string): Promise<string[]> {
    const rows = await this.#query<{ datname: string }>(
      `select datname from pg_database where starts_with(datname, '${start}')`,
    );
    return rows.map(({ datname }) => datname);
  }

  async renameDatabase(from: string, to: string): Promise<void> {
    await this.#query(`alter database ${from} rename to ${to}`);
  }

  async dropDatabase(name: string): Promise<void> {
    await this.#query(`drop database if exists ${name} with (force)`);
  }

  async measureUse(): Promise<PostgresUse> {
    const rows = await this.#query<{ wal: string; pid: number }>(
      `select pg_current_wal_insert_lsn() - '0/0' as wal, pid from pg_stat_activity`,
    );
    return {
      walBytes: Number(rows[0]?.wal),
      processorMicroseconds: rows.reduce((sum, { pid }) => sum + (processorMicroseconds(pid) ?? 0), 0),
    };
  }

  async #query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.#url, connectionTimeoutMillis: 10_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }
}
