import type { Command } from 'commander';
import { addClientCommand, addOutputFlags, type ClientFlags, openContext } from '../../client-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { describeMe } from './login.ts';

/** `muster whoami`: shows whom the credential identifies. */
export function addWhoamiCommand(program: Command, terminal: Terminal): void {
  const command = addClientCommand(program, 'whoami', {
    summary: 'Show where you are signed in, who as, and with which permissions.',
    examples: ['muster whoami', 'muster whoami --json | jq -r .projectID'],
  });
  addOutputFlags(command).action(async (flags: ClientFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { getMe } = await import('@muster/client');
    const me = await getMe(connection.client);
    const projectID = me.projectID ?? connection.profile?.project;
    const project = me.projects?.find(({ id }) => id === projectID);
    printer.summary(me, me.id, [
      ['server', connection.url],
      ['profile', connection.profile?.name],
      ['as', describeMe(me)],
      ['id', me.id],
      ['permissions', me.permissions.join(' ') || 'none'],
      ['projects', me.projects?.map(({ name }) => name).join(', ') || undefined],
      ['project', project === undefined ? projectID : `${project.name} (${project.id})`],
      ['expires', printer.time(me.expiresAt)],
    ]);
    if (me.note !== undefined) printer.note(me.note);
  });
}
