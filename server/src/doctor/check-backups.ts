import { accessSync, constants, existsSync } from 'node:fs';
import { listBackups } from '../database/backup/backup-directory.ts';
import type { Config } from '../settings/config.ts';
import { checkDisk } from './check-files.ts';
import type { Report } from './finding.ts';

const hourMilliseconds = 3_600_000;

/** Whether the backups of the service are as new as they should be. */
export function checkBackups({ backupDirectory, backupEvery }: Config, now: number, report: Report): void {
  if (backupDirectory === undefined) {
    report(
      'note',
      'MUSTER_BACKUP_DIR is not set, so the service makes no backups by itself.',
      'Set it, or run `muster backup` by a timer.',
    );
    return;
  }
  if (!existsSync(backupDirectory)) {
    report(
      'warning',
      `${backupDirectory} does not exist, so there is no backup.`,
      'Create it, or mount it, and let the user of the service write to it. The service makes a backup within minutes.',
    );
    return;
  }
  try {
    accessSync(backupDirectory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    report(
      'failure',
      `This user cannot write to ${backupDirectory}.`,
      'Give it to the user of the service (chown).',
    );
    return;
  }
  checkDisk('backups', backupDirectory, report);
  const [newest] = listBackups(backupDirectory);
  if (newest === undefined) {
    report(
      'warning',
      `${backupDirectory} has no complete backup.`,
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
