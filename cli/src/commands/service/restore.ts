import { resolve } from 'node:path';
import { readConfig, settings } from '@muster/server/config';
import type { Command } from 'commander';
import { spellCommands } from '../../own-command.ts';
import { addSettingFlags, readSettingFlags } from '../../setting-flags.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { BackupProgressLine } from './backup-progress-line.ts';
import { describeRestored } from './backup-texts.ts';

interface RestoreFlags {
  readonly replace?: boolean;
  readonly quiet?: boolean;
}

/** `muster restore`: puts a verified backup in place of an empty database. */
export function addRestoreCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('restore')
    .summary('Restore a backup.')
    .description(
      'Verifies a backup and restores it into an empty data directory, or an empty PostgreSQL database. The service must be stopped. The next start brings the tables of an older backup up to date.',
    )
    .argument(
      '<backup>',
      'A backup, a directory of backups (the newest is taken), a tar archive, or - for an archive on the standard input.',
    )
    .option(
      '--replace',
      'Restore into a data directory that is not empty: its database and tokens are put into a folder of their own.',
    )
    .option('--quiet', 'Print nothing but faults.')
    .action(async (source: string, { replace = false, quiet = false }: RestoreFlags) => {
      const config = readConfig({ env: terminal.env, flags: readSettingFlags(command) });
      const { restoreBackup } = await import('@muster/server');
      const progress = new BackupProgressLine(quiet ? undefined : terminal.stderr);
      const { dataDirectory, databaseUrl } = config;
      const { stdin, now } = terminal;
      try {
        const restored = await restoreBackup({
          source,
          stdin,
          dataDirectory,
          databaseUrl,
          replace,
          clock: now,
          onProgress: (what) => progress.show(what),
        });
        progress.end();
        if (!quiet)
          terminal.stdout.write(spellCommands(describeRestored(restored, resolve(dataDirectory)), terminal));
      } finally {
        progress.end();
      }
    });
  addSettingFlags(command, [settings.dataDirectory, settings.databaseUrl]);
}
