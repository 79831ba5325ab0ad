import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../foundation/database/database.ts';
import { migrate } from '../../foundation/database/migrate.ts';
import { openDatabase } from '../../foundation/database/open-database.ts';
import { deleteErrorsAfter, insertErrors } from '../../testing/rows/stored-errors.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { dropTestDatabase, prepareMigratedDatabase } from '../../testing/test-database.ts';
import { UsageService } from './usage-service.ts';

const projectID = idOf(1);
const times = { created_at: 1, updated_at: 1 };

let dataDirectory: string;
let database: Database;
let usage: UsageService;
let failures: unknown[];

beforeEach(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const databaseUrl = await prepareMigratedDatabase(dataDirectory);
  database = await openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined });
  await migrate(database);
  failures = [];
  usage = new UsageService({
    database,
    clock: createTestClock().now,
    limits: { agents: 0, storedBytes: 1_000_000 },
    closing: new AbortController().signal,
    onFailure: (error) => failures.push(error),
    onRefusedAgent: () => undefined,
  });
});

afterEach(async () => {
  await usage.close();
  await database.close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
  expect(failures).toEqual([]);
});

/** An id with the number as its sequence, like ids of one millisecond. */
function idOf(number: number): string {
  const [high, low] = [number >>> 14, 0x8000 | (number & 0x3fff)];
  return `0192f0a0-0000-7${high.toString(16).padStart(3, '0')}-${low.toString(16)}-000000000000`;
}

async function storeProject(id: string): Promise<void> {
  await database.write
    .insertInto('projects')
    .values({ id, name: 'test', ...times })
    .execute();
}

async function storeAgents(first: number, count: number): Promise<void> {
  const agents = Array.from({ length: count }, (_, index) => ({
    id: idOf(first + index),
    project_id: projectID,
    machine_id: `machine ${first + index}`,
    name: 'host',
    flags: '[]',
    metadata: '{"a":"ä"}',
    tags: '[]',
    epoch: 1,
    last_seen_at: 1,
    ...times,
  }));
  await database.write.insertInto('agents').values(agents).execute();
}

async function storeErrors(first: number, count: number): Promise<void> {
  const errors = Array.from({ length: count }, (_, index) => ({
    id: idOf(first + index),
    agent_id: idOf(1_000),
    project_id: projectID,
    error: 'ä',
    error_digest: Buffer.from([index >> 8, index & 0xff]),
    epoch: 1,
    created_at: 1,
    occurrences: 1,
    last_seen_at: 1,
  }));
  await insertErrors(database, errors);
}

/** As documented: the texts in UTF-8, and the overhead of a row. */
const bytesOf = { agent: 1_000 + 10 + 2 + 2, config: 200 + 4, error: 400 + 2 };

describe('a walk through the stored data of projects', () => {
  it('adds up agents, configurations and errors over all portions', async () => {
    await storeProject(projectID);
    await storeProject(idOf(2));
    await storeAgents(1_000, 700);
    await storeErrors(10_000, 2_000);
    const configs = [1_000, 1_600].map((agent) => ({
      agent_id: idOf(agent),
      id: idOf(50_000 + agent),
      epoch: 1,
      raw_config: 'ääää'.slice(0, 2),
      created_at: 1,
      project_id: projectID,
      text_digest: '',
    }));
    await database.write.insertInto('agent_configs').values(configs).execute();
    expect(await usage.usageOf(projectID)).toMatchObject({ agents: 700, storedBytes: null });

    await usage.measure();
    const expected = 700 * bytesOf.agent + 2 * bytesOf.config + 2_000 * bytesOf.error;
    expect(await usage.usageOf(projectID)).toMatchObject({ agents: 700, storedBytes: expected });
    expect(await usage.usageOf(idOf(2))).toMatchObject({ agents: 0, storedBytes: 0 });
    expect(usage.fullest.storedBytes).toBeCloseTo(expected / 1_000_000, 10);
    expect([usage.isNearlyFull(projectID), usage.isFull(projectID)]).toEqual([true, true]);
    expect([usage.isNearlyFull(idOf(2)), usage.isFull(idOf(2))]).toEqual([false, false]);
  });

  it('notices removed data, and forgets deleted projects', async () => {
    await storeProject(projectID);
    await storeErrors(10_000, 2_400);
    await usage.measure();
    expect(usage.isNearlyFull(projectID)).toBe(true);
    await deleteErrorsAfter(database, idOf(10_999));
    await usage.measure();
    expect(await usage.usageOf(projectID)).toMatchObject({ storedBytes: 1_000 * bytesOf.error });
    expect(usage.isNearlyFull(projectID)).toBe(false);
    await database.write.updateTable('projects').set({ deleted_at: 2 }).execute();
    await usage.measure();
    expect(usage.fullest.storedBytes).toBe(0);
  });

  it('counts once what was stored between two walks', async () => {
    await storeProject(projectID);
    await usage.measure();
    usage.addError(projectID, 'ä');
    usage.addConfig(projectID, 'ää');
    const added = bytesOf.error + bytesOf.config;
    expect(await usage.usageOf(projectID)).toMatchObject({ storedBytes: added });
    await storeErrors(10_000, 1);
    await usage.measure();
    expect(await usage.usageOf(projectID)).toMatchObject({ storedBytes: bytesOf.error });
  });
});
