import { hash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { copiedTables } from '../../server/src/foundation/database/copy/copied-tables.ts';
import { copyInstallation } from '../../server/src/foundation/database/copy/copy-installation.ts';
import { loadSqliteDriver } from '../../server/src/foundation/database/sqlite/load-driver.ts';
import { sqliteFileName } from '../../server/src/foundation/database/sqlite/open-sqlite.ts';
import type { Config } from '../../server/src/foundation/settings/config.ts';
import { startTestApp, type TestApp } from '../../server/src/testing/start-test-app.ts';
import { createTestClock } from '../../server/src/testing/test-clock.ts';
import { takeSupply } from '../../server/src/testing/test-supplies.ts';

/** A data directory to copy from. Removed with `remove`. */
export interface SourcePlace {
  readonly dataDirectory: string;
  remove(): void;
}

/** An empty PostgreSQL database to copy to. */
export interface TargetPlace {
  readonly url: string;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Whether the database has a table of that name. */
  hasTable(name: string): Promise<boolean>;
  drop(): Promise<void>;
}

export function makeDirectory(): SourcePlace {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-copy-'));
  return { dataDirectory, remove: () => rmSync(dataDirectory, { recursive: true, force: true }) };
}

export async function createTarget(options = ''): Promise<TargetPlace> {
  const { url: serverUrl } = await takeSupply('postgres');
  const name = `muster_copy_${randomBytes(8).toString('hex')}`;
  await once(serverUrl, `create database ${name} ${options}`);
  const location = new URL(serverUrl);
  location.pathname = `/${name}`;
  const url = location.toString();
  const query: TargetPlace['query'] = (text, values) => once(url, text, values);
  return {
    url,
    query,
    async hasTable(table) {
      const rows = await query('select 1 where to_regclass($1) is not null', [table]);
      return rows.length > 0;
    },
    async drop() {
      await once(serverUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

async function once<Row extends pg.QueryResultRow>(
  connectionString: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Runs statements directly on the embedded database; returns the rows of the last one. */
export function onSource({ dataDirectory }: SourcePlace, ...statements: readonly string[]): unknown[] {
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(join(dataDirectory, sqliteFileName));
  try {
    return statements.map((statement) => connection.prepare(statement).all()).at(-1) ?? [];
  } finally {
    connection.close();
  }
}

/** The number of rows in the source of each copied table, in the order of the copy. */
export function rowCounts(source: SourcePlace): { table: string; rows: number }[] {
  return copiedTables.map(({ name }) => ({
    table: name,
    rows: onSource(source, `select 1 from ${name}`).length,
  }));
}

/**
 * Checks without the tested code that every row is the same on both sides and that the copy is finished. The number of
 * credential changes differs by design, and so do counts, which the target makes anew.
 */
export async function expectSame(source: SourcePlace, target: TargetPlace): Promise<void> {
  for (const { name, mode, recounted = [] } of copiedTables) {
    const left = ['agent_error_groups', 'dismissals'].includes(name) ? ['key', ...recounted] : recounted;
    const here = onSource(source, `select * from ${name}`)
      .map(name === 'agent_errors' ? withDigest : (row) => row)
      .map((row) => without(row, left));
    const there = (await target.query(`select * from ${name}`)).map((row) => without(row, recounted));
    if (mode === 'rows') expect(there.map(toText).sort(), name).toEqual(here.map(toText).sort());
    else expect(there, name).toHaveLength(here.length);
  }
  expect(await target.hasTable('copy_progress')).toBe(false);
}

function without(row: unknown, columns: readonly string[]): unknown {
  return Object.fromEntries(Object.entries(row ?? {}).filter(([name]) => !columns.includes(name)));
}

/** The row as PostgreSQL stores it. */
function withDigest(row: unknown): unknown {
  const { error } = row as { error: string }; // as the view has it
  return { ...(row as object), error_digest: hash('sha256', error, 'buffer') }; // a row of named columns
}

/** The drivers represent bytes and large numbers differently. */
function toText(row: unknown): string {
  const values = Object.entries(row ?? {}).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value === null ? null : String(value),
  ]);
  return JSON.stringify(values.sort());
}

/** The messages of a failure and of all its causes. */
export async function messagesOf(work: Promise<unknown>): Promise<string[]> {
  const messages: string[] = [];
  try {
    await work;
  } catch (failure) {
    for (let error = failure; error instanceof Error; error = error.cause) messages.push(error.message);
  }
  return messages;
}

/** Copies in small pages, and stops as if killed after that many progress reports, or when it begins to verify. */
export async function copyPartly(
  source: SourcePlace,
  target: TargetPlace,
  until: number | 'verify',
): Promise<void> {
  const stop = new Error('stopped by the test');
  let seen = 0;
  const copying = copyInstallation({
    ...source,
    databaseUrl: target.url,
    limits: { rows: 100, bytes: 1_000_000 },
    onProgress({ phase }) {
      seen += 1;
      if (until === 'verify' ? phase === until : seen > until) throw stop;
    },
  });
  await copying.catch((error: unknown) => {
    if (!(error instanceof Error) || (error !== stop && error.cause !== stop)) throw error;
  });
}

/** The service as `muster serve` runs it: it creates its own administrator and writes the token to a file. */
export async function startPlainApp(
  { dataDirectory }: SourcePlace,
  config: Partial<Config> = {},
  clock = createTestClock(),
): Promise<{ app: TestApp; admin: string }> {
  const app = await startTestApp({
    dataDirectory,
    clock,
    config: { adminToken: undefined, maxOpenErrorsPerAgent: 0, ...config },
  });
  return { app, admin: readFileSync(join(dataDirectory, 'admin-token'), 'utf8').trim() };
}

/** An installation with some agents, each of which has reported a thousand errors. */
export async function makeInstallation(
  source: SourcePlace,
  agents = 1,
): Promise<{ readonly projectID: string; readonly admin: string }> {
  const { app, admin } = await startPlainApp(source);
  const post = <Body>(url: string, as: object, body: unknown) => app.request<Body>('POST', url, { as, body });
  const project = await post<{ id: string; token: string }>(
    '/v1/projects',
    { access: admin },
    { name: 'fleet' },
  );
  for (let agent = 0; agent < agents; agent += 1) {
    const texts = Array.from({ length: 1_000 }, (_, index) => ({ error: `agent ${agent}: fault ${index}` }));
    await post(`/v1/machines/host-${agent}/errors`, { project: project.body.token }, texts);
  }
  await app.close();
  return { projectID: project.body.id, admin };
}
