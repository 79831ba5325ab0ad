import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockOf } from '../../foundation/database/backup/backup-directory.ts';
import { takeBackupLock } from '../../foundation/database/backup/backup-lock.ts';
import { formatManifest } from '../../foundation/database/backup/backup-manifest.ts';
import { BackupService } from './backup-service.ts';

const hour = 3_600_000;
const installation = '0198c0de-0000-7000-8000-000000000000';
let directory: string;
let now: number;
let runs: number;
let failures: unknown[];
let done: unknown[];
let failWith: Error | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  now = Date.parse('2026-11-22T03:00:00Z');
  runs = 0;
  failures = [];
  done = [];
  failWith = undefined;
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** Stores the manifest alone, as a complete backup has it. */
function storeBackup(at: number, installationID = installation): void {
  const folder = join(directory, `muster-backup-${new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`);
  mkdirSync(folder);
  const manifest = formatManifest({
    createdAt: new Date(at).toISOString(),
    musterVersion: '1.2.3',
    engine: 'sqlite',
    installationID,
    migration: '0001-initial',
    files: [{ name: 'muster.db', bytes: 1, sha256: '0'.repeat(64) }],
    rows: {},
  });
  writeFileSync(join(folder, 'manifest.json'), manifest);
}

function createService(): BackupService {
  return new BackupService({
    directory,
    everyMilliseconds: 6 * hour,
    keep: 7,
    readInstallationID: async () => installation,
    clock: () => now,
    monotonic: () => now,
    async runBackup() {
      runs += 1;
      if (failWith !== undefined) throw failWith;
      storeBackup(now);
    },
    onDone: (outcome) => done.push(outcome),
    onFailure: (error) => failures.push(error),
  });
}

describe('the schedule of backups', () => {
  it('makes the first backup at once, and the next one when the interval is over', async () => {
    const service = createService();
    expect(service.ageSeconds).toBe(Number.POSITIVE_INFINITY);
    await service.look();
    expect([runs, service.ageSeconds, service.newestAt]).toEqual([1, 0, now]);
    const folder = join(directory, 'muster-backup-20261122T030000Z');
    expect(done).toEqual([{ folder, bytes: 1, seconds: 0 }]);
    now += 6 * hour - 1;
    await service.look();
    expect([runs, service.ageSeconds]).toEqual([1, 21_599.999]);
    now += 1;
    await service.look();
    expect([runs, service.ageSeconds]).toEqual([2, 0]);
  });

  it('survives a restart, because the newest backup decides', async () => {
    await createService().look();
    now += 5 * hour;
    const restarted = createService();
    await restarted.look();
    expect([runs, restarted.ageSeconds]).toEqual([1, 18_000]);
    now += hour;
    await restarted.look();
    expect(runs).toBe(2);
  });

  it('does not count what another installation stores in the same directory', async () => {
    const service = createService();
    storeBackup(now - 1_000, '0198c0de-0000-7000-8000-000000000001');
    await service.look();
    expect([runs, service.ageSeconds]).toEqual([1, 0]);
    now += 6 * hour;
    storeBackup(now - 1_000, '0198c0de-0000-7000-8000-000000000001');
    await service.look();
    expect([runs, service.ageSeconds]).toEqual([2, 0]);
  });

  it('makes one backup at a time', async () => {
    const service = createService();
    await Promise.all([service.look(), service.look()]);
    expect(runs).toBe(1);
    now += 6 * hour;
    const lock = takeBackupLock(lockOf(directory));
    await service.look();
    // In one process, the lock does not hold another connection back on every system; a held lock means another process.
    lock?.release();
    await service.look();
    expect(runs).toBe(2);
  });

  it('tries again after ten minutes when a backup failed, and counts the failure', async () => {
    failWith = new Error('the disk is full');
    const service = createService();
    await service.look();
    expect([runs, service.failures, failures]).toEqual([1, 1, [failWith]]);
    now += 10 * 60_000 - 1;
    await service.look();
    expect(runs).toBe(1);
    failWith = undefined;
    now += 1;
    await service.look();
    expect([runs, service.failures, service.ageSeconds]).toEqual([2, 1, 0]);
  });

  it('makes one if the clock was set back far, because the newest backup then seems to be of the future', async () => {
    storeBackup(now + 48 * hour);
    const service = createService();
    await service.look();
    expect(runs).toBe(1);
  });

  it('stops with the service, and then reports no failure', async () => {
    let stop = (_: Error): void => undefined;
    const service = new BackupService({
      directory,
      everyMilliseconds: hour,
      keep: 7,
      readInstallationID: async () => installation,
      clock: () => now,
      monotonic: () => now,
      runBackup: ({ signal }) =>
        new Promise((_, reject) => {
          stop = reject;
          signal.addEventListener('abort', () => stop(new Error('aborted')));
        }),
      onDone: () => undefined,
      onFailure: (error) => failures.push(error),
    });
    const looked = service.look();
    await service.close();
    await looked;
    expect(failures).toEqual([]);
  });
});
