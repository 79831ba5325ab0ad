import type { Session } from '@muster/client';
import { largestPageSize } from '@muster/contract';
import type { Command } from 'commander';
import {
  addClientCommand,
  addNoun,
  addYesFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import type { Connection } from '../../connection/connect.ts';
import { findUserID } from '../../connection/find-person.ts';
import { findByShortIDs } from '../../connection/short-ids.ts';
import { sessionView } from '../../output/people-views.ts';
import { addInstallationListCommand, type ListFlags } from '../../read-commands.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Terminal } from '../../terminal/terminal.ts';

interface SessionFlags extends ClientFlags {
  readonly user?: string;
}

/** `muster session`: browsers that are signed in. */
export function addSessionCommands(program: Command, terminal: Terminal): void {
  const session = addNoun(program, 'session', 'Sessions: browsers in which you are signed in.');
  addList(session, terminal);
  addRevoke(session, terminal);
}

const userFlag = [
  '--user <name|id>',
  'Sessions of this user instead of your own. For administrators of the installation.',
] as const;

function addList(session: Command, terminal: Terminal): void {
  addInstallationListCommand<Session, ListFlags & SessionFlags>(session, terminal, {
    summary: 'List the browsers in which you are signed in, newest first.',
    examples: ['muster session list', 'muster session list --user ada'],
    view: sessionView,
    things: 'sessions',
    none: 'No sessions.',
    addFlags: (command) => command.option(...userFlag),
    list: async (connection, query, flags) => {
      const ofUser = await userQuery(connection, flags);
      return (await import('@muster/client'))
        .listSessions(connection.client, { ...ofUser, ...query })
        .pages();
    },
  });
}

function addRevoke(session: Command, terminal: Terminal): void {
  const command = addClientCommand(session, 'revoke <id>', {
    summary: 'Sign a browser out.',
    description: 'Ends a session. The next request of the browser is refused, on every replica.',
    examples: ['muster session revoke 8a6b4c2d', 'muster session revoke 8a6b4c2d --user ada'],
  }).option(...userFlag);
  addYesFlag(command).action(async (id: string, flags: SessionFlags & { yes?: boolean }) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { listSessions, revokeSession } = await import('@muster/client');
    const sessions = listSessions(connection.client, {
      ...(await userQuery(connection, flags)),
      last: largestPageSize,
    });
    const found = await findByShortIDs<Session>([id], {
      noun: 'session',
      pages: sessions.pages(),
      describe: ({ userAgent }) => userAgent ?? '',
    });
    await confirm(terminal, `Revoke the session ${id}?`, flags.yes);
    await revokeSession(connection.client, { sessionID: found.get(id)?.id ?? id });
    printer.note('Revoked the session.');
  });
}

async function userQuery(
  connection: Connection,
  { user }: SessionFlags,
): Promise<{ readonly user_id?: string }> {
  return user === undefined ? {} : { user_id: await findUserID(connection, user) };
}
