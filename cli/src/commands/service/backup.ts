import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import { type Config, readConfig, settings } from '@muster/server/config';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.ts';
import { addSettingFlags, readSettingFlags } from '../../setting-flags.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { readVersion } from '../../version.ts';
import { BackupProgressLine } from './backup-progress-line.ts';
import { describeCheck, describeDone, postgresTools } from './backup-texts.ts';

interface BackupFlags {
  readonly keep?: string;
  readonly verify?: string;
  readonly fast?: boolean;
  readonly quiet?: boolean;
}

/** Others then lose at most a fifth of the time of one processor. Pauses after what is written are longer (`BackupPace`). */
const pauseFactor = 4;
/** Multiple of MUSTER_MAX_LOG_MEGABYTES that the log may reach during a backup. At 16 times, the service slows down its writers. */
const maxLogFactor = 12;

/** `muster backup`: writes a backup beside the running service, or checks one. */
export function addBackupCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('backup')
    .summary('Back up the database.')
    .description(
      'Writes a backup of the database, beside the running service or without it, on the machine of the service. It has everything that was acknowledged before it began, and a manifest with the SHA-256 of each file.',
    )
    .argument(
      '[directory]',
      'Directory of backups, which gets a new folder in it; - writes a tar archive to the standard output. (MUSTER_BACKUP_DIR)',
    )
    .option('--keep <number>', 'Backups to keep in the directory; older ones are removed. (default: all)')
    .option('--verify <backup>', 'Write none: verify a backup, a directory of them (the newest), or - (tar).')
    .option('--fast', 'Copy without pauses. The service then answers more slowly meanwhile.')
    .option('--quiet', 'Print nothing but faults.')
    .action(async (given: string | undefined, flags: BackupFlags) => {
      const config = readConfig({ env: terminal.env, flags: readSettingFlags(command) });
      if (flags.verify !== undefined) return check(flags.verify, config, flags, terminal);
      const keep = readKeep(flags.keep);
      const target = given ?? config.backupDirectory;
      if (target === undefined) {
        throw new CommandError(
          'usage',
          'No directory is named for the backup.',
          'Name one, such as: muster backup /var/backups/muster\nOr set MUSTER_BACKUP_DIR.',
        );
      }
      if (target === '-') return writeArchive(config, flags, terminal);
      return writeFolder(target, keep, config, flags, terminal);
    });
  addSettingFlags(command, [settings.dataDirectory, settings.databaseUrl]);
}

async function writeFolder(
  directory: string,
  keep: number | undefined,
  config: Config,
  flags: BackupFlags,
  terminal: Terminal,
): Promise<void> {
  if (flags.fast !== true) yieldProcessors();
  const { backupToDirectory } = await import('@muster/server');
  const progress = new BackupProgressLine(flags.quiet === true ? undefined : terminal.stderr);
  try {
    const done = await backupToDirectory({
      ...optionsOf(config, flags, terminal, progress),
      directory,
      keep,
    });
    progress.end();
    if (flags.quiet !== true) terminal.stdout.write(describeDone(done, leftOutFiles(config)));
  } finally {
    progress.end();
  }
  if (flags.quiet !== true && config.databaseUrl !== undefined) terminal.stderr.write(postgresTools);
}

async function writeArchive(config: Config, flags: BackupFlags, terminal: Terminal): Promise<void> {
  if (terminal.stdout.isTTY === true) {
    throw new CommandError(
      'usage',
      'A backup is not written to a terminal.',
      'Redirect the output, such as: muster backup - > backup.tar',
    );
  }
  if (flags.fast !== true) yieldProcessors();
  const { backupToStream } = await import('@muster/server');
  const progress = new BackupProgressLine(flags.quiet === true ? undefined : terminal.stderr);
  try {
    const manifest = await backupToStream({
      ...optionsOf(config, flags, terminal, progress),
      output: process.stdout,
    });
    progress.end();
    if (flags.quiet === true) return;
    const done = { folder: 'standard output', manifest, removed: [] };
    terminal.stderr.write(describeDone(done, leftOutFiles(config)));
    if (config.databaseUrl !== undefined) terminal.stderr.write(postgresTools);
  } finally {
    progress.end();
  }
}

/** Secrets of the data directory: with them, whoever finds a backup could use it. */
function leftOutFiles({ dataDirectory }: Config): readonly string[] {
  return ['secret-key', 'admin-token']
    .map((name) => resolve(dataDirectory, name))
    .filter((file) => existsSync(file));
}

/** The service runs first if both want to. */
function yieldProcessors(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // Some systems forbid it.
  }
}

function optionsOf(
  { dataDirectory, databaseUrl, maxLogMegabytes }: Config,
  { fast = false }: BackupFlags,
  { now }: Terminal,
  progress: BackupProgressLine,
) {
  return {
    dataDirectory,
    databaseUrl,
    clock: now,
    musterVersion: readVersion(),
    pace: {
      pauseFactor: fast ? 0 : pauseFactor,
      maxLogBytes: maxLogMegabytes * 1024 * 1024 * maxLogFactor,
    },
    onProgress: (what: string, share: number | undefined) => progress.show(what, share),
  };
}

async function check(source: string, config: Config, flags: BackupFlags, terminal: Terminal): Promise<void> {
  const { checkBackup } = await import('@muster/server');
  const { stdin } = terminal;
  const found = await checkBackup({ source, stdin, dataDirectory: config.dataDirectory });
  if (flags.quiet !== true) terminal.stdout.write(describeCheck(found));
}

function readKeep(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new CommandError('usage', `--keep is '${text}', but it takes a whole number from 1 on.`);
}
