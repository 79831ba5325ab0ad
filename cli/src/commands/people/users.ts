import type { Command } from 'commander';
import { addNoun } from '../../client-command.ts';
import { userView } from '../../output/people-views.ts';
import { addInstallationListCommand } from '../../read-commands.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** `muster user`: users of the installation, for its administrators. */
export function addUserCommands(program: Command, terminal: Terminal): void {
  const user = addNoun(program, 'user', 'Users of the installation, for its administrators.');
  addInstallationListCommand(user, terminal, {
    summary: 'List users of the installation and whether they have access, newest first.',
    examples: ['muster user list', 'muster user list --json'],
    view: userView,
    things: 'users',
    none: 'No users.',
    list: async ({ client }, query) => (await import('@muster/client')).listUsers(client, query).pages(),
  });
}
