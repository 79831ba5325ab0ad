import type { Command } from 'commander';
import {
  addClientCommand,
  addListFlags,
  addNoun,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { userView } from '../../output/people-views.ts';
import { printList } from '../../output/print-list.ts';
import { type LastFlags, pageSizeFor } from '../../output/take-last.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** `muster user`: users of the installation, for its administrators. */
export function addUserCommands(program: Command, terminal: Terminal): void {
  const user = addNoun(program, 'user', 'Users of the installation, for its administrators.');
  const command = addClientCommand(user, 'list', {
    summary: 'List users of the installation and whether they have access, newest first.',
    examples: ['muster user list', 'muster user list --json'],
  });
  addListFlags(command).action(async (flags: ClientFlags & LastFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { listUsers } = await import('@muster/client');
    const pages = listUsers(connection.client, { last: pageSizeFor(flags) }).pages();
    await printList(printer, { pages, flags, view: userView, things: 'users', none: 'No users.' });
  });
}
