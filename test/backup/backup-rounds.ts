import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSqliteDriver } from '../../server/src/foundation/database/sqlite/load-driver.ts';
import { runMusterProcess, startMuster } from '../../server/src/testing/muster-process.ts';
import { faultSettings } from '../faults/fault-settings.ts';
import { startReportLoad } from '../faults/report-load.ts';
import { send } from '../replicas/send.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What became of the reports of one round. */
export interface BackupRound {
  /** Reports that were answered with 201 before the backup began. */
  readonly acknowledgedBefore: number;
  /** Of them, those that are not in the restored database. */
  readonly lost: number;
  /** Errors in the restored database that are there twice. */
  readonly doubled: number;
  /** Result of SQLite's integrity check of the restored database. */
  readonly integrity: string;
  /** Number of answers in the whole round, by status. */
  readonly statuses: Readonly<Record<string, number>>;
}

interface RoundOptions {
  /** Reports that are acknowledged before the backup begins. */
  readonly reportsBefore: number;
  readonly connections: number;
  /** After each answer, so that the storm leaves a processor to the backup. Absent: none. */
  readonly pauseMilliseconds?: number;
}

/** Backs up a service under a storm of new errors, restores the backup into another directory, and looks for every report. */
export async function runBackupRound({ reportsBefore, ...storm }: RoundOptions): Promise<BackupRound> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-backup-storm-'));
  const dataDirectory = join(folder, 'data');
  // So small a log is moved into the database during the backup too, or would be.
  const env = { MUSTER_DATA_DIR: dataDirectory, MUSTER_MAX_LOG_MEGABYTES: '1' };
  const service = await startMuster({ env: { ...faultSettings, ...env } });
  try {
    const { url } = service;
    const agent = await registerAgent(url, dataDirectory);
    const load = startReportLoad({ urls: [url], ...agent, ...storm, name: 'storm' });
    while (load.acknowledged().size < reportsBefore) await load.nextAcknowledged();
    const acknowledged = [...load.acknowledged().keys()];
    const backup = await runMusterProcess(['backup', join(folder, 'backups')], { env });
    if (backup.code !== 0) throw new Error(backup.stderr);
    await load.stop();
    const target = join(folder, 'restored');
    const restore = await runMusterProcess(['restore', join(folder, 'backups')], {
      env: { MUSTER_DATA_DIR: target },
    });
    if (restore.code !== 0) throw new Error(restore.stderr);
    return { ...compare(join(target, 'muster.db'), acknowledged), statuses: load.statuses() };
  } finally {
    await service.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function registerAgent(
  url: string,
  dataDirectory: string,
): Promise<{ readonly agentID: string; readonly token: string }> {
  const token = readFileSync(join(dataDirectory, 'project-token'), 'utf8').trim();
  const { body } = await send<{ id: string }>(`${url}/v1/agents`, {
    headers: { 'X-Project-Token': token },
    body: { name: 'storm', machineID: 'storm', rawConfig: '[INPUT]\n' },
  });
  return { agentID: body.id, token };
}

function compare(file: string, acknowledged: readonly string[]): Omit<BackupRound, 'statuses'> {
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(file);
  try {
    const texts = connection.prepare('select error from agent_error_rows').all();
    const counts = new Map<unknown, number>();
    for (const { error } of texts) counts.set(error, (counts.get(error) ?? 0) + 1);
    const [check] = connection.prepare('pragma integrity_check').all();
    return {
      acknowledgedBefore: acknowledged.length,
      lost: acknowledged.filter((text) => !counts.has(text)).length,
      doubled: [...counts.values()].filter((count) => count > 1).length,
      integrity: String(check?.integrity_check),
    };
  } finally {
    connection.close();
  }
}

/** Starts a backup that stops in its middle. Resolves when it is there. */
export async function startBlockedBackup(dataDirectory: string, directory: string): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'test/backup/run-blocked-backup.ts', dataDirectory, directory],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

/** Names that are not hidden. */
export function listVisible(directory: string): string[] {
  return readdirSync(directory).filter((name) => !name.startsWith('.'));
}
