import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, type RootOperationNode, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../foundation/database/database.ts';
import { migrate } from '../../foundation/database/migrate.ts';
import { openDatabase } from '../../foundation/database/open-database.ts';
import type { Page } from '../../foundation/list-page.ts';
import { dismissAllErrors, errorTableOf, insertErrors } from '../../testing/rows/stored-errors.ts';
import { dropTestDatabase, prepareMigratedDatabase } from '../../testing/test-database.ts';
import { type AgentFilter, listAgents } from './agent-list-store.ts';

const agentCount = 3_000;
const projectID = idOf(0);
const anyAgent = { projectID, name: undefined, status: undefined, tag: undefined, fleetID: undefined };

/** Each filter matches a page of agents. Every second agent is unhealthy. */
const filters: readonly Partial<AgentFilter>[] = [
  {},
  { status: 'unhealthy' },
  { status: 'healthy' },
  { status: 'healthy', name: 'web-*', tag: 'eu' },
];
const pages: readonly Page[] = [
  { limit: 100, before: undefined },
  { limit: 100, before: idOf(agentCount / 2) },
];

let dataDirectory: string;
let database: Database;

beforeEach(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const databaseUrl = await prepareMigratedDatabase(dataDirectory);
  database = await openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined });
  await migrate(database);
  if (database.engine === 'sqlite') return;
  for (const table of ['agents', 'agent_errors'])
    await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(database.write);
});

afterEach(async () => {
  await database.close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

describe('a few unhealthy agents among many', () => {
  it('are found without reading the others', async () => {
    await storeAgents();
    await storeErrors({ dismissed: true });
    await analyze();
    for (const page of pages) {
      const { rows, statements } = await listRecorded({ ...anyAgent, status: 'unhealthy' }, page);
      expect(rows.map(({ id }) => id)).toEqual([idOf(2), idOf(0)]);
      const looks = await readsOfAll('agents', statements);
      // Once for their sizes, once for the rows.
      expect(looks).toHaveLength(2);
      expect(looks.filter(({ index, count }) => index === undefined || count > 2)).toEqual([]);
    }
  });
});

describe('the status of the agents on a page', () => {
  it.each([
    ['nothing was analyzed yet', async () => storeErrors({ dismissed: false })],
    [
      'everything was analyzed',
      async () => {
        await storeErrors({ dismissed: false });
        await analyze();
      },
    ],
    [
      'all was analyzed while nearly no error was open',
      async () => {
        await storeErrors({ dismissed: true });
        await analyze();
        await dismissAllErrors(database, null);
      },
    ],
  ])('needs one index look-up per agent, with %s', async (_, prepare) => {
    await storeAgents();
    await prepare();
    for (const filter of filters) {
      for (const page of pages) {
        const { rows, hasNext, statements } = await listRecorded({ ...anyAgent, ...filter }, page);
        expect({ count: rows.length, hasNext }).toEqual({ count: page.limit, hasNext: true });
        const looks = await readsOfAll('agent_errors', statements.slice(-2));
        expect(new Set(looks.map(({ index }) => index))).toEqual(
          new Set([database.engine === 'sqlite' ? 'agent_error_rows_open' : 'agent_errors_standing']),
        );
        // Of 3,000 open errors. A page of one status reads twice as many agents as it returns.
        const maxRows = 3 * (page.limit + 1);
        expect(looks.filter(({ count }) => count > maxRows)).toEqual([]);
      }
    }
  });
});

type Table = 'agents' | 'agent_errors';

/** SQLite's notation for a look-up with the whole key, not a part of it. */
const keyLookUp =
  / (?:INDEX )?(\w+|PRIMARY KEY) \((?:agent_key=\? AND epoch=\?|(?:project_id=\? AND )?id=\?)\)$/;

interface Read {
  readonly index: string | undefined;
  /** Rows, or look-ups without a result. SQLite does not report it. */
  readonly count: number;
}

async function readsOfAll(table: Table, statements: readonly CompiledQuery[]): Promise<Read[]> {
  const reads: Read[] = [];
  for (const statement of statements) reads.push(...(await readsOf(table, statement)));
  return reads;
}

/** How a statement reads a table, from the engine's query plan. */
async function readsOf(table: Table, { sql: text, parameters }: CompiledQuery): Promise<Read[]> {
  if (database.engine === 'sqlite') {
    const tableName = table === 'agents' ? table : errorTableOf(database);
    const plan = await explain<{ detail: string }>(`explain query plan ${text}`, parameters);
    return plan
      .map(({ detail }) => detail)
      .filter((detail) => new RegExp(`^(SCAN|SEARCH) ${tableName}\\b`).test(detail))
      .map((detail) => ({ index: keyLookUp.exec(detail)?.[1], count: 0 }));
  }
  const [row] = await explain<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }>(
    `explain (analyze, format json) ${text}`,
    parameters,
  );
  return row === undefined ? [] : readsBelow(table, row['QUERY PLAN'][0].Plan);
}

async function explain<Row>(text: string, parameters: readonly unknown[]): Promise<Row[]> {
  return (await database.read.executeQuery(CompiledQuery.raw(text, [...parameters]))).rows as Row[]; // in the engine's notation
}

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

function readsBelow(table: Table, node: PlanNode): Read[] {
  const below = (node.Plans ?? []).flatMap((child) => readsBelow(table, child));
  if (node['Relation Name'] !== table) return below;
  const rowsOfLoop = Math.max(1, node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
  return [...below, { index: node['Index Name'], count: rowsOfLoop * node['Actual Loops'] }];
}

/** A page, and the statements that produced it, in order. */
async function listRecorded(filter: AgentFilter, page: Page) {
  const nodes: RootOperationNode[] = [];
  const recording = database.read.withPlugin({
    transformQuery({ node }) {
      nodes.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const { rows, hasNext } = await listAgents(recording, database.engine, filter, page, {
    now: 1,
    heardSince: 0,
  });
  const executor = database.read.getExecutor();
  const statements = nodes.map((node) => executor.compileQuery(node, { queryId: 'recorded' }));
  return { rows, hasNext, statements };
}

async function analyze(): Promise<void> {
  await sql`analyze`.execute(database.write);
}

async function storeAgents(): Promise<void> {
  const times = { created_at: 1, updated_at: 1 };
  await database.write
    .insertInto('projects')
    .values({ id: projectID, name: 'test', ...times })
    .execute();
  await inPortions(
    (index) => ({
      id: idOf(index),
      project_id: projectID,
      machine_id: `machine ${index}`,
      name: `web-${index}`,
      flags: '[]',
      metadata: '{}',
      tags: '["eu"]',
      epoch: 1,
      last_seen_at: 1,
      ...times,
    }),
    async (rows) => {
      await database.write.insertInto('agents').values(rows).execute();
    },
  );
}

/** Stores two errors for every second agent. */
async function storeErrors({ dismissed }: { readonly dismissed: boolean }): Promise<void> {
  await inPortions(
    (index) => ({
      id: idOf(agentCount + index),
      agent_id: idOf(index - (index % 2)),
      project_id: projectID,
      error: 'error',
      error_digest: Buffer.from([index % 2]),
      epoch: 1,
      created_at: 1,
      occurrences: 1,
      last_seen_at: 1,
      dismissed_at: dismissed && index > 3 ? 1 : null,
    }),
    (rows) => insertErrors(database, rows),
  );
}

async function inPortions<Row>(
  row: (index: number) => Row,
  store: (rows: Row[]) => Promise<void>,
): Promise<void> {
  const portion = 1_000;
  for (let start = 0; start < agentCount; start += portion) {
    await store(Array.from({ length: portion }, (_, index) => row(start + index)));
  }
}

/** An id with the number as its sequence, like ids of one millisecond. */
function idOf(number: number): string {
  return `0192f0a0-0000-7000-${(0x8000 + number).toString(16)}-000000000000`;
}
