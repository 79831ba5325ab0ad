import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentStatus, agentStatuses } from '@muster/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../foundation/database/database.ts';
import { migrate } from '../../../foundation/database/migrate.ts';
import { openDatabase } from '../../../foundation/database/open-database.ts';
import { insertErrors } from '../../../testing/rows/stored-errors.ts';
import { dropTestDatabase, prepareMigratedDatabase } from '../../../testing/test-database.ts';
import { listAgents } from '../agent-list-store.ts';
import { describeStatus } from './agent-status.ts';

let dataDirectory: string;
let database: Database;

beforeAll(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const databaseUrl = await prepareMigratedDatabase(dataDirectory);
  database = await openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined });
  await migrate(database);
});

afterAll(async () => {
  await database.close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

const start = 1_772_446_830_456;
const page = { limit: 1_000, before: undefined };

/** Times just before, at and after each change of status. */
const time = fc.integer({ min: 0, max: 16 }).map((tenSeconds) => start + tenSeconds * 10_000 * 5);
const signs = fc.record({
  seen_at: fc.oneof(time, fc.constant(0)),
  promised_ms: fc.option(fc.constantFrom(0, 1_000, 30_000, 60_000, 100_000)),
  observed_ms: fc.option(fc.constantFrom(5, 30_000, 100_000)),
  stopped_at: fc.option(time),
  stop_failed: fc.constantFrom(0, 1),
  exit_code: fc.option(fc.constantFrom(0, 1)),
  signal: fc.option(fc.constantFrom('SIGTERM', 'SIGKILL')),
  failures: fc.integer({ min: 0, max: 4 }),
  failed_at: fc.option(time),
  unreachable_since: fc.oneof({ weight: 10, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: time }),
});
const agent = fc.record({
  last_seen_at: time,
  signs: fc.option(signs, { freq: 6 }),
  openErrors: fc.constantFrom(0, 0, 1, 2),
  olderErrors: fc.constantFrom(0, 1),
});

describe('the filter by status', () => {
  it('finds exactly the agents that show the status, for random stored rows', async () => {
    const agents = fc.sample(agent, { seed: 7, numRuns: 500 });
    const projectID = idOf(0);
    const times = { created_at: start, updated_at: start };
    await database.write
      .insertInto('projects')
      .values({ id: projectID, name: 'test', ...times })
      .execute();
    for (const [index, one] of agents.entries()) {
      const id = idOf(index);
      const columns = { flags: '[]', metadata: '{}', tags: '[]', epoch: 2, ...times };
      await database.write
        .insertInto('agents')
        .values({
          id,
          project_id: projectID,
          machine_id: id,
          name: id,
          last_seen_at: one.last_seen_at,
          ...columns,
        })
        .execute();
      if (one.signs !== null) {
        await database.write
          .insertInto('agent_signs')
          .values({ project_id: projectID, agent_id: id, ...one.signs })
          .execute();
      }
      const errors = [...Array<number>(one.openErrors).fill(2), ...Array<number>(one.olderErrors).fill(1)];
      if (errors.length === 0) continue;
      await insertErrors(
        database,
        errors.map((epoch, number) => ({
          id: idOf(agents.length + index * 10 + number),
          agent_id: id,
          project_id: projectID,
          error: `error ${number}`,
          error_digest: Buffer.from([number]),
          epoch,
          created_at: start + number,
          occurrences: 1,
          last_seen_at: start,
          dismissed_at: null,
        })),
      );
    }
    const found: Record<AgentStatus, number> = {
      healthy: 0,
      unhealthy: 0,
      offline: 0,
      stopped: 0,
      unknown: 0,
    };
    for (const now of [start, start + 90_000, start + 300_000, start + 600_000]) {
      for (const heardSince of [0, start + 200_000]) {
        const moment = { now, heardSince };
        const list = async (status: AgentStatus | undefined) => {
          const filter = { projectID, status, name: undefined, tag: undefined, fleetID: undefined };
          return (await listAgents(database.read, database.engine, filter, page, moment)).rows;
        };
        const all = await list(undefined);
        expect(all).toHaveLength(agents.length);
        for (const status of agentStatuses) {
          const expected = all.filter((row) => describeStatus(row, moment).status === status);
          expect((await list(status)).map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
          found[status] += expected.length;
        }
      }
    }
    // The comparison covered every status.
    expect(Object.entries(found).filter(([, count]) => count <= 100)).toEqual([]);
  });
});

function idOf(number: number): string {
  return `0192f0a0-0000-7000-${(0x8000 + number).toString(16)}-000000000000`;
}
