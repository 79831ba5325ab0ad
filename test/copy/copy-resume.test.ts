import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyInstallation } from '../../server/src/foundation/database/copy/copy-installation.ts';
import {
  copyPartly,
  createTarget,
  expectSame,
  makeDirectory,
  makeInstallation,
  onSource,
  rowCounts,
  startPlainApp,
  type TargetPlace,
} from './copy-places.ts';

const source = makeDirectory();
const targets: TargetPlace[] = [];

beforeAll(async () => {
  await makeInstallation(source, 2);
});

afterAll(async () => {
  for (const target of targets) await target.drop();
  source.remove();
});

async function newTarget(): Promise<TargetPlace> {
  const target = await createTarget();
  targets.push(target);
  return target;
}

describe('a copy that was stopped', () => {
  it('continues even if it had begun to verify', async () => {
    const target = await newTarget();
    await copyPartly(source, target, 'verify');
    expect(await target.query('select 1 from copy_progress where not is_done')).toEqual([]);
    const copied: [string, number][] = [];
    const report = await copyInstallation({
      ...source,
      databaseUrl: target.url,
      onProgress({ phase, table, rows }) {
        if (phase === 'copy') copied.push([table, rows]);
      },
    });
    // Each table is reported once, as complete as before: nothing is read again.
    expect(copied).toEqual(rowCounts(source).map(({ table, rows }) => [table, rows]));
    expect(report.isResumed).toBe(true);
    await expectSame(source, target);
  });

  it('can continue after the data directory was moved', async () => {
    const target = await newTarget();
    await copyPartly(source, target, 12);
    await target.query(`update copy_progress set data_directory = '/where/it/was'`);
    await copyInstallation({ ...source, databaseUrl: target.url });
    await expectSame(source, target);
  });

  it('can write a page twice if its progress was lost', async () => {
    const target = await newTarget();
    await copyPartly(source, target, 40);
    await target.query('update copy_progress set last_key = null, row_count = 0, is_done = false');
    await copyInstallation({ ...source, databaseUrl: target.url });
    await expectSame(source, target);
  });
});

describe('an undisturbed copy', () => {
  it('reports every table with its rows, in the order in which they refer to each other', async () => {
    const target = await newTarget();
    const report = await copyInstallation({ ...source, databaseUrl: target.url });
    expect(report).toEqual({
      isResumed: false,
      tables: rowCounts(source).map((line) => ({ ...line, seconds: expect.any(Number) })),
    });
    expect(report.tables).toContainEqual(expect.objectContaining({ table: 'agent_errors', rows: 2_000 }));
    await expectSame(source, target);
  });

  it('continues the number of credential changes above both databases', async () => {
    const target = await newTarget();
    onSource(source, 'update credential_changes set generation = 41');
    await copyInstallation({ ...source, databaseUrl: target.url });
    expect(await target.query('select id, generation from credential_changes')).toEqual([
      { id: '1', generation: '42' },
    ]);
  });

  it('copies the commits that a killed process left in its log', async () => {
    const running = makeDirectory();
    const killed = makeDirectory();
    const { app, admin } = await startPlainApp(running);
    await app.request('POST', '/v1/projects', { as: { access: admin }, body: { name: 'the last one' } });
    for (const file of ['muster.db', 'muster.db-wal'])
      cpSync(join(running.dataDirectory, file), join(killed.dataDirectory, file));
    await app.close();
    const target = await newTarget();
    await copyInstallation({ ...killed, databaseUrl: target.url });
    expect(await target.query('select name from projects order by id')).toEqual([
      { name: 'default' },
      { name: 'the last one' },
    ]);
    await expectSame(killed, target);
    for (const place of [running, killed]) place.remove();
  });

  it('copies a token that is older than its parent because a clock was set back', async () => {
    const small = makeDirectory();
    await makeInstallation(small, 0);
    const target = await newTarget();
    const tokens = onSource(small, 'select id from project_tokens order by id') as { id: string }[]; // one column
    expect(tokens).toHaveLength(2);
    onSource(small, `update project_tokens set parent_id = '${tokens[1]?.id}' where id = '${tokens[0]?.id}'`);
    await copyInstallation({ ...small, databaseUrl: target.url, limits: { rows: 1, bytes: 1 } });
    await expectSame(small, target);
    small.remove();
  });
});
