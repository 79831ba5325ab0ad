import { accessSync, constants, lstatSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from './finding.ts';

const ofOthers = 0o077;
const gigabyte = 1e9;

/** The data directory: whether it can be written, who else can read it, and how full its disk is. */
export function checkDataDirectory(directory: string, report: Report): void {
  const stats = statSync(directory, { throwIfNoEntry: false });
  if (stats === undefined) {
    report(
      'warning',
      `The data directory ${directory} does not exist. The first start of the service creates it.`,
      'If there is an installation, name its directory with MUSTER_DATA_DIR.',
    );
    return;
  }
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    report(
      'failure',
      `This user cannot write to the data directory ${directory}.`,
      'Run the command as the user of the service, or give the directory to that user (chown).',
    );
    return;
  }
  if (process.platform !== 'win32') checkModes(directory, report);
  checkDisk('data directory', directory, report);
}

function checkModes(directory: string, report: Report): void {
  const names = readdirSync(directory).filter((name) =>
    /^(muster\.|admin-token|project-token|server-url)/.test(name),
  );
  const open = names.filter((name) => (lstatSync(join(directory, name)).mode & ofOthers) !== 0);
  const user = process.getuid?.();
  const foreign = names.filter((name) => user !== 0 && lstatSync(join(directory, name)).uid !== user);
  if (open.length > 0) {
    report(
      'warning',
      `Other users of this machine can read or lock ${open.join(', ')} in ${directory}.`,
      `chmod go-rwx ${names.length === 0 ? directory : open.map((name) => join(directory, name)).join(' ')}`,
    );
  }
  if (foreign.length > 0) {
    report(
      'failure',
      `${foreign.join(', ')} in ${directory} belong to another user, so a service of this user cannot write them.`,
      'Give the directory and every file in it to the user of the service (chown -R).',
    );
  }
  if (open.length === 0 && foreign.length === 0)
    report('ok', `Only this user can read the files in ${directory}.`);
}

export function checkDisk(what: string, directory: string, report: Report): void {
  const { bavail, blocks, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  const share = blocks === 0 ? 1 : bavail / blocks;
  const text = `${(free / gigabyte).toFixed(1)} GB (${Math.round(share * 100)} %) are free on the disk of the ${what}.`;
  const advice =
    'Free some space, move the directory to a larger disk, or lower MUSTER_RETENTION_DAYS or MUSTER_BACKUP_KEEP.';
  if (free < 0.2 * gigabyte) report('failure', `${text} When it is full, every change gets 503.`, advice);
  else if (free < gigabyte || share < 0.05)
    report('warning', `${text} When it is full, every change gets 503.`, advice);
  else report('ok', text);
}
