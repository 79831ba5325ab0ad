import { resolve } from 'node:path';
import { quoteForShell } from '@muster/contract';
import { readConfig, settings } from '@muster/server/config';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.ts';
import { spellCommands } from '../../own-command.ts';
import { addSettingFlags, readSettingFlags } from '../../setting-flags.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** `muster admin`: what takes access to the machine of the service, and no token. */
export function addAdminCommand(program: Command, terminal: Terminal): void {
  const admin = program
    .command('admin')
    .summary('Get back into an installation.')
    .description('Commands for the machine of the service. They need access to its database, and no token.');
  addResetToken(admin, terminal);
}

function addResetToken(admin: Command, terminal: Terminal): void {
  const command = admin
    .command('reset-token')
    .summary("Replace the administrator's token.")
    .description(
      "Gives the administrator a new access token, and writes it to the file admin-token in the data directory. The former one is revoked at once, with the access tokens that were created with it. Works beside a running service. Run it as the service's user.",
    )
    .action(async () => {
      const config = readConfig({ env: terminal.env, flags: readSettingFlags(command) });
      if (config.adminToken !== undefined) {
        throw new CommandError(
          'usage',
          `${settings.adminToken.variable} sets the administrator's token.`,
          'Change it in the settings of the service, and start the service again.',
        );
      }
      const { resetAdministratorToken, systemRandomBytes } = await import('@muster/server');
      const file = await resetAdministratorToken({
        dataDirectory: resolve(config.dataDirectory),
        databaseUrl: config.databaseUrl,
        clock: terminal.now,
        randomBytes: systemRandomBytes,
      });
      const lines = [
        `The administrator has a new access token. It is in ${file}`,
        'The former one is revoked, with the access tokens that were created with it.',
        '',
        'Sign in with it:',
        '',
        `  muster login --url URL --with-token < ${quoteForShell(file)}`,
        '',
      ];
      terminal.stdout.write(spellCommands(lines.join('\n'), terminal));
    });
  addSettingFlags(command, [settings.dataDirectory, settings.databaseUrl]);
}
