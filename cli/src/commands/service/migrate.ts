import { readConfig, settings } from '@muster/server/config';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.ts';
import { spellCommands } from '../../own-command.ts';
import { addSettingFlags, readSettingFlags } from '../../setting-flags.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** `muster migrate`: updates the tables without serving, or checks whether they are up to date. */
export function addMigrateCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('migrate')
    .summary('Bring the database up to date.')
    .description(
      'Brings the tables of the database up to date, as `muster serve` does at its start, and names the migrations that ran.',
    )
    .option('--check', 'Change nothing: list the pending migrations, and exit with 1 if there are any.')
    .action(async ({ check = false }: { check?: boolean }) => {
      const config = readConfig({ env: terminal.env, flags: readSettingFlags(command) });
      const { runMigrations } = await import('@muster/server');
      const names = await runMigrations(config, {
        check,
        onNotice: (notice) => terminal.stderr.write(`${notice}\n`),
      });
      terminal.stdout.write(spellCommands(check ? describePending(names) : describeDone(names), terminal));
      if (check && names.length > 0) throw new CommandError('failed', 'The database is not up to date.');
    });
  addSettingFlags(command, [settings.dataDirectory, settings.databaseUrl]);
}

function describePending(names: readonly string[]): string {
  return names.length === 0
    ? 'The database is up to date.\n'
    : `Pending, run 'muster migrate' for them:\n${names.map((name) => `  ${name}\n`).join('')}`;
}

function describeDone(names: readonly string[]): string {
  return names.length === 0
    ? 'The database was already up to date.\n'
    : `Done, the database is up to date:\n${names.map((name) => `  ${name}\n`).join('')}`;
}
