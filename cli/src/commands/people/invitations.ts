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
import { chooseProjectID } from '../../connection/find-resources.ts';
import { invitationView } from '../../output/people-views.ts';
import { addListCommand } from '../../read-commands.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addRoleFlags, type RoleFlags, roleOf } from './role-flags.ts';

/** `muster invite` and `muster invitation`: codes that make somebody a member of a project, once. */
export function addInvitationCommands(program: Command, terminal: Terminal): void {
  addInvite(program, terminal);
  const invitation = addNoun(program, 'invitation', 'Invitations to a project that are not accepted yet.');
  addList(invitation, terminal);
  addAccept(invitation, terminal);
  addRevoke(invitation, terminal);
}

function addInvite(program: Command, terminal: Terminal): void {
  const command = addClientCommand(program, 'invite', {
    summary: 'Invite somebody to a project; the code is shown once.',
    description:
      'Creates an invitation to a project. Its code works once, within 7 days, and is shown only once.',
    examples: [
      'muster invite --role operator --email ada@example.com',
      'muster invite --permission read:agent,read:agent_error --quiet',
    ],
  });
  addRoleFlags(addOutputFlags(addProjectFlag(command), 'Print only the code.'))
    .option('--email <email>', 'For whom it is: a note for the list, which nothing checks.')
    .action(async (flags: ClientFlags & RoleFlags & { email?: string }) => {
      const role = roleOf(flags);
      const { connection, printer } = await openContext(terminal, flags);
      const { createInvitation } = await import('@muster/client');
      const projectID = await chooseProjectID(connection, flags.project);
      const body = { ...role, ...(flags.email === undefined ? {} : { email: flags.email }) };
      const created = await createInvitation(connection.client, { projectID, body });
      printer.summary(created, created.code, [
        ['id', created.id],
        ['role', created.role],
        ['expires', created.expiresAt],
        ['code', created.code],
      ]);
      const page = new URL('invitation', `${connection.url.replace(/\/$/, '')}/`).href;
      printer.note(
        `The code is shown once. The invited person enters it at ${page}, or signed in: muster invitation accept CODE`,
      );
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
  const command = addClientCommand(invitation, 'accept <code>', {
    summary: 'Accept an invitation with your own account.',
    examples: ['muster invitation accept mst_i_…'],
  });
  addOutputFlags(command).action(async (code: string, flags: ClientFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { acceptInvitation } = await import('@muster/client');
    const accepted = await acceptInvitation(connection.client, { body: { code } });
    printer.summary(accepted, accepted.projectID, [
      ['project', accepted.projectID],
      ['role', accepted.role],
      ['permissions', accepted.permissions.join(' ') || 'none'],
    ]);
  });
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
