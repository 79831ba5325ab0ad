import { accessSync, constants, lstatSync, readdirSync, type StatsFs, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../foundation/settings/config.ts';
import type { Report } from './finding.ts';

const ofOthers = 0o077;
const writableByOthers = 0o022;
const gigabyte = 1e9;

/** The data directory: whether it can be written, who else can read it, and how full its disk is. Returns true if its files can be looked at. */
export function checkDataDirectory(
  { dataDirectory: directory, databaseUrl }: Pick<Config, 'dataDirectory' | 'databaseUrl'>,
  report: Report,
): boolean {
  const asUser = 'Run the command as the user of the service, or give the directory to that user (chown).';
  switch (stateOf(directory)) {
    case 'missing':
      report(
        'warning',
        `The data directory ${directory} does not exist. The first start of the service creates it.`,
        'If there is an installation, name its directory with MUSTER_DATA_DIR.',
      );
      return true;
    case 'no directory':
      report(
        'failure',
        `The data directory ${directory} is a file, or a part of its path is one.`,
        'Name a directory with MUSTER_DATA_DIR.',
      );
      return false;
    case 'unreadable':
      report('failure', `This user cannot read and write the data directory ${directory}.`, asUser);
      return false;
    case 'read-only':
      report(
        'failure',
        `The file system of the data directory ${directory} is read-only.`,
        "Mount it for writing. If it was, its disk may have failed: read the system's log (dmesg).",
      );
      return false;
    case 'usable':
      if (process.platform !== 'win32') checkModes(directory, report);
      checkDisk(databaseUrl === undefined ? 'data' : 'files', directory, report);
      return true;
  }
}

/** What this user can do with a directory. */
export function stateOf(
  directory: string,
): 'missing' | 'no directory' | 'unreadable' | 'read-only' | 'usable' {
  try {
    if (!statSync(directory).isDirectory()) return 'no directory';
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return 'usable';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return 'missing';
    if (code === 'ENOTDIR') return 'no directory';
    return code === 'EROFS' ? 'read-only' : 'unreadable';
  }
}

function checkModes(directory: string, report: Report): void {
  const names = readdirSync(directory).filter((name) =>
    /^(muster\.|admin-token|project-token|server-url|secret-key|sign-in-link)/.test(name),
  );
  const open = names.filter((name) => (lstatSync(join(directory, name)).mode & ofOthers) !== 0);
  const { mode, uid } = statSync(directory);
  const user = process.getuid?.() === 0 ? uid : process.getuid?.();
  const foreign = names.filter((name) => lstatSync(join(directory, name)).uid !== user);
  if ((mode & writableByOthers) !== 0) {
    report(
      'warning',
      `Other users of this machine can replace files in ${directory}.`,
      `chmod go-w ${directory}`,
    );
  }
  if (open.length > 0) {
    report(
      'warning',
      `Other users of this machine can read or lock ${open.join(', ')} in ${directory}.`,
      `chmod go-rwx ${open.map((name) => join(directory, name)).join(' ')}`,
    );
  }
  if (foreign.length > 0) {
    report(
      'failure',
      `${foreign.join(', ')} in ${directory} belong to another user than the service, so it cannot write them.`,
      'Give the directory and every file in it to the user of the service (chown -R).',
    );
  }
  if (open.length + foreign.length === 0) report('ok', `Only this user can read the files in ${directory}.`);
}

const disks = {
  data: {
    of: 'the data directory',
    whenFull: 'When it is full, every change gets 503.',
    advice: 'Free some space, move the directory to a larger disk, or lower MUSTER_RETENTION_DAYS.',
  },
  /** The directory of the data holds no database then. */
  files: {
    of: 'the data directory',
    whenFull: 'When it is full, the service cannot write its files, such as the token of the administrator.',
    advice: 'Free some space, or move the directory to a larger disk.',
  },
  backups: {
    of: 'the backups',
    whenFull:
      'When it is full, no backup can be made. The service itself goes on, unless its data is on the same disk.',
    advice:
      'Free some space, name a directory on a larger disk with MUSTER_BACKUP_DIR, or lower MUSTER_BACKUP_KEEP.',
  },
} as const;

/** @param readDisk absent: asks the system */
export function checkDisk(
  what: keyof typeof disks,
  directory: string,
  report: Report,
  readDisk: (directory: string) => Pick<StatsFs, 'bavail' | 'blocks' | 'bsize'> = statfsSync,
): void {
  const { bavail, blocks, bsize } = readDisk(directory);
  const free = bavail * bsize;
  const share = blocks === 0 ? 1 : bavail / blocks;
  const { of, whenFull, advice } = disks[what];
  const text = `${(free / gigabyte).toFixed(1)} GB (${Math.round(share * 100)}%) are free on the disk of ${of}.`;
  if (free < 0.2 * gigabyte) report('failure', `${text} ${whenFull}`, advice);
  else if (free < gigabyte || share < 0.05) report('warning', `${text} ${whenFull}`, advice);
  else report('ok', text);
}
