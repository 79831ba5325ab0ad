import { readConfig, settings } from '@muster/server/config';
import type { Command } from 'commander';
import { findOwnFile } from '../../own-command.ts';
import { addSettingFlags, readSettingFlags } from '../../setting-flags.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** `muster serve`: runs the service until it is stopped. */
export function addServeCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('serve')
    .summary('Run the service.')
    .description('Runs the service. Every setting is a flag or an environment variable; the flag wins.')
    .action(async () => {
      const config = readConfig({ env: terminal.env, flags: readSettingFlags(command) });
      // Loaded here, so that help and mistyped commands do not load it.
      const { serve } = await import('@muster/server');
      await serve(config, {
        command: terminal.ownCommand(),
        commandFile: findOwnFile(),
      });
    });
  addSettingFlags(command, Object.values(settings));
}
