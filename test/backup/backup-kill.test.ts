import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isLocked } from '../../server/src/foundation/database/backup/backup-lock.ts';
import { runMusterProcess } from '../../server/src/testing/muster-process.ts';
import { listVisible, startBlockedBackup } from './backup-rounds.ts';
import { fill, makePlace, type Place, startInstallation } from './installation.ts';

let source: Place;
let directory: string;

beforeAll(async () => {
  source = await makePlace();
  const { app, admin } = await startInstallation(source);
  await fill(app, admin);
  await app.close();
  directory = mkdtempSync(join(tmpdir(), 'muster-backups-'));
});

afterAll(async () => {
  await source.remove();
  rmSync(directory, { recursive: true });
});

it('a killed backup is no backup, harms no earlier one, and is removed by the next one', async () => {
  const first = await runMusterProcess(['backup', directory, '--quiet'], { env: source.env });
  expect(first).toMatchObject({ code: 0, stderr: '' });
  const before = listVisible(directory);
  expect(before).toHaveLength(1);

  const child = await startBlockedBackup(source.dataDirectory, directory);
  const lock = join(source.dataDirectory, 'muster.backup-lock');
  expect(isLocked(lock)).toBe(true);
  const second = await runMusterProcess(['backup', directory], { env: source.env });
  expect(second).toMatchObject({
    code: 1,
    stderr: `muster: Another backup is being written: a process holds ${directory}/.muster-backup.lock. Wait until it has ended. Nothing was changed.\n`,
  });
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  expect(isLocked(lock)).toBe(false);
  expect(listVisible(directory)).toEqual(before);
  const check = await runMusterProcess(['backup', '--verify', directory, '--quiet'], { env: source.env });
  expect(check).toMatchObject({ code: 0, stderr: '' });

  const third = await runMusterProcess(['backup', directory, '--quiet'], { env: source.env });
  expect(third).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(directory).filter((name) => name.endsWith('.partial'))).toEqual([]);
  expect(listVisible(directory)).toHaveLength(2);
});
