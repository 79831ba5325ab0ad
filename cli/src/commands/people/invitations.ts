import type { Command } from 'commander';
import {
  addClientCommand,
  addNoun,
  addOutputFlags,
  addProjectFlag,
  addYesFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { chooseServerOfLink } from '../../connection/choose-server.ts';
import { type Connection, connect, connectTo, loginCommand } from '../../connection/connect.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import { notesOfLoopback, readServerUrl } from '../../connection/server-url.ts';
import { invitationView } from '../../output/people-views.ts';
import { Printer } from '../../output/printer.ts';
import { addListCommand } from '../../read-commands.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addRoleFlags, type RoleFlags, roleOf } from './role-flags.ts';

/** `muster invitation`: links that make somebody a member of a project, once. */
export function addInvitationCommands(program: Command, terminal: Terminal): void {
  const invitation = addNoun(program, 'invitation', 'Invitations to a project that are not accepted yet.');
  addList(invitation, terminal);
  addAccept(invitation, terminal);
  addRevoke(invitation, terminal);
}

/** `muster invite`: makes such a link. */
export function addInviteCommand(program: Command, terminal: Terminal): void {
  const command = addClientCommand(program, 'invite', {
    summary: 'Invite somebody to a project; the link is shown once.',
    description:
      'Creates an invitation to a project: a link that works once, within 7 days, and is shown only once. Whoever has it can accept it.',
    examples: [
      'muster invite --role operator --email ada@example.com',
      'muster invite --permission read:agent,read:agent_error --quiet',
    ],
  });
  addRoleFlags(addOutputFlags(addProjectFlag(command), 'Print only the link.'))
    .option('--email <email>', 'For whom it is: a note for the list, which nothing checks.')
    .action(async (flags: ClientFlags & RoleFlags & { email?: string }) => {
      const role = roleOf(flags);
      const { connection, printer } = await openContext(terminal, flags);
      const { createInvitation } = await import('@muster/client');
      const projectID = await chooseProjectID(connection, flags.project);
      const body = { ...role, ...(flags.email === undefined ? {} : { email: flags.email }) };
      const created = await createInvitation(connection.client, { projectID, body });
      const link = new URL(`invitation/${created.code}`, `${connection.url.replace(/\/$/, '')}/`).href;
      printer.summary({ ...created, link }, link, [
        ['id', created.id],
        ['role', created.role],
        ['expires', printer.time(created.expiresAt)],
        ['link', link],
      ]);
      printer.note(
        'The link is shown once. Whoever opens it joins the project; somebody with an account can also run: muster invitation accept LINK',
      );
      for (const line of notesOfLoopback(connection.url)) printer.note(line);
    });
}

function addList(invitation: Command, terminal: Terminal): void {
  addListCommand(invitation, terminal, {
    summary: 'List invitations to a project that are not accepted yet, newest first.',
    examples: ['muster invitation list'],
    view: invitationView,
    things: 'invitations',
    none: 'No invitations.',
    list: async ({ client }, query) =>
      (await import('@muster/client')).listInvitations(client, query).pages(),
  });
}

function addAccept(invitation: Command, terminal: Terminal): void {
  const command = addClientCommand(invitation, 'accept <link>', {
    summary: 'Accept an invitation with your own account.',
    description:
      'Takes the link of the invitation, and asks the server in it, or takes its code alone. Without an account there, open the link in a browser instead, which makes one.',
    examples: ['muster invitation accept https://muster.example.com/invitation/mst_i_…'],
  });
  addOutputFlags(command).action(async (link: string, flags: ClientFlags) => {
    const printer = new Printer(terminal, flags);
    const { client } = await connectForLink(terminal, link, flags.profile);
    const { acceptInvitation } = await import('@muster/client');
    const accepted = await acceptInvitation(client, {
      body: { code: link.slice(link.lastIndexOf('/') + 1) },
    });
    printer.summary(accepted, accepted.projectID, [
      ['project', accepted.projectID],
      ['role', accepted.role],
      ['permissions', accepted.permissions.join(' ') || 'none'],
    ]);
  });
}

/** To the server in the link, or to another one that `--profile` names, which may be the same at another address. */
async function connectForLink(
  terminal: Terminal,
  link: string,
  profileFlag: string | undefined,
): Promise<Connection> {
  const [, address] = /^(.+)\/invitation\//.exec(link) ?? [];
  if (address === undefined || profileFlag !== undefined) return connect(terminal, profileFlag);
  const chosen = await chooseServerOfLink(terminal, readServerUrl(address, 'The address in the link'));
  const mend = `Without an account there, open the link in a browser: that makes one.\nWith an account, sign in first. Run: ${loginCommand(chosen)}`;
  return connectTo(terminal, chosen, mend);
}

function addRevoke(invitation: Command, terminal: Terminal): void {
  const command = addClientCommand(invitation, 'revoke <id>', {
    summary: 'Revoke an invitation.',
    examples: ['muster invitation revoke 0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d'],
  });
  addYesFlag(command).action(async (invitationID: string, flags: ClientFlags & { yes?: boolean }) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { revokeInvitation } = await import('@muster/client');
    await confirm(terminal, `Revoke the invitation ${invitationID}?`, flags.yes);
    await revokeInvitation(connection.client, { invitationID });
    printer.note('Revoked the invitation.');
  });
}
