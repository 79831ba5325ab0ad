import { listBackups } from '../../foundation/database/backup/backup-directory.ts';
import { selectInstallationID } from '../../foundation/database/backup/installation-id.ts';
import type { Config } from '../../foundation/settings/config.ts';
import { checkDisk, stateOf } from './check-files.ts';
import type { Report } from './finding.ts';
import { readTable } from './read-table.ts';

const hourMilliseconds = 3_600_000;

const obstacles = {
  unreadable: (directory: string) =>
    [
      `This user cannot read and write ${directory}, so no backup can be made.`,
      'Run the command as the user of the service, or give the directory to that user (chown).',
    ] as const,
  'read-only': (directory: string) =>
    [
      `The file system of ${directory} is read-only, so no backup can be made.`,
      'Mount it for writing, or name another directory with MUSTER_BACKUP_DIR.',
    ] as const,
  'no directory': (directory: string) =>
    [
      `${directory} is a file, or a part of its path is one, so no backup can be made.`,
      'Name a directory with MUSTER_BACKUP_DIR.',
    ] as const,
};

/**
 * Whether the backups of the service are as new as they should be.
 *
 * @param hasDatabase false: the installation is not known, so backups of any one count
 */
export async function checkBackups(
  config: Config,
  hasDatabase: boolean,
  now: number,
  report: Report,
): Promise<void> {
  const { backupDirectory, backupEvery } = config;
  if (backupDirectory === undefined) {
    report(
      'note',
      'MUSTER_BACKUP_DIR is not set, so the service makes no backups by itself.',
      'Set it, or run `muster backup` by a timer.',
    );
    return;
  }
  const state = stateOf(backupDirectory);
  if (state === 'missing') {
    report(
      'warning',
      `${backupDirectory} does not exist, so there is no backup.`,
      'Create it, or mount it, and let the user of the service write to it. The service makes a backup within minutes.',
    );
    return;
  }
  if (state !== 'usable') {
    const [message, advice] = obstacles[state](backupDirectory);
    report('failure', message, advice);
    return;
  }
  checkDisk('backups', backupDirectory, report);
  const [first] = hasDatabase ? await readTable<{ id: string }>(config, 'users', selectInstallationID) : [];
  const [newest] = listBackups(backupDirectory, first?.id);
  if (newest === undefined) {
    report(
      'warning',
      `${backupDirectory} has no complete backup${first === undefined ? '' : ' of this installation'}.`,
      'Read the log of the service for the reason.',
    );
    return;
  }
  const age = now - Date.parse(newest.manifest.createdAt);
  const text = `The newest backup began ${(age / hourMilliseconds).toFixed(1)} h ago: ${newest.folder}.`;
  if (age <= 2 * backupEvery.milliseconds) report('ok', text);
  else {
    report(
      'warning',
      `${text} MUSTER_BACKUP_EVERY is ${String(backupEvery)}.`,
      'Read the log of the service for the reason (`a backup failed`), and make one at once: muster backup',
    );
  }
}
