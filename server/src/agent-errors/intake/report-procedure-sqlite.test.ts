import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SqliteDatabase } from '../../database/database.ts';
import { migrate } from '../../database/migrate.ts';
import { openSqlite } from '../../database/sqlite/open-sqlite.ts';
import type { Report } from '../report.ts';
import { createSqliteReportStore } from './report-store-sqlite.ts';

const projectID = '019b76da-a800-7000-8000-000000000001';
const agentID = '019b76da-a800-7000-8000-000000000002';
const noLimits = { openPerAgent: 0, newPerAgentPerMinute: 0, newPerProjectPerSecond: 0 };

let directory: string;
let database: SqliteDatabase;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-procedure-'));
  database = await openSqlite(directory);
  await migrate(database);
  await database.sqlite.rows({
    sql: 'insert into projects (id, name, created_at, updated_at) values (?, ?, 0, 0)',
    rows: [[projectID, 'project']],
  });
  await database.sqlite.rows({
    sql: `insert into agents (id, project_id, machine_id, name, flags, metadata, tags, epoch, created_at, updated_at, last_seen_at)
      values (?, ?, 'machine', 'agent', '[]', '{}', '[]', 1, 0, 0, 0)`,
    rows: [[agentID, projectID]],
  });
});

afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

function report(number: number, error: string): Report {
  const id = `019b76da-a800-7000-8000-1000000000${number}`;
  return { id, agentID, projectID, error, createdAt: 1_767_225_600_000 + number, generation: 0 };
}

async function storedTexts(): Promise<unknown[]> {
  const rows = await database.read.selectFrom('agent_errors').select('error').orderBy('id').execute();
  return rows.map(({ error }) => error);
}

describe('a batch of reports', () => {
  it('sees what came before in it', async () => {
    const [one, other, again] = [report(10, 'one'), report(11, 'other'), report(12, 'one')];
    expect(await createSqliteReportStore(database.sqlite, noLimits)([one, other, again])).toEqual([
      { kind: 'created', id: one.id, createdAt: one.createdAt },
      { kind: 'created', id: other.id, createdAt: other.createdAt },
      { kind: 'ignored', id: one.id, createdAt: one.createdAt },
    ]);
    expect(await storedTexts()).toEqual(['one', 'other']);
  });

  it('counts itself towards the limits', async () => {
    const store = createSqliteReportStore(database.sqlite, { ...noLimits, openPerAgent: 1 });
    const kinds = (await store([report(10, 'one'), report(11, 'other')])).map(({ kind }) => kind);
    expect(kinds).toEqual(['created', 'limited']);
    expect(await storedTexts()).toEqual(['one']);
  });

  it('is stored all or not at all', async () => {
    const store = createSqliteReportStore(database.sqlite, noLimits);
    await expect(store([report(10, 'one'), report(10, 'the same id')])).rejects.toThrow('UNIQUE constraint');
    expect(await storedTexts()).toEqual([]);
    expect((await store([report(10, 'one')])).map(({ kind }) => kind)).toEqual(['created']);
  });
});
