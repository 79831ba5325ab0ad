import { countOf } from '@muster/contract';
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
import { findMemberID, findUserID } from '../../connection/find-person.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import { memberView } from '../../output/people-views.ts';
import { addListCommand } from '../../read-commands.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addRoleFlags, type RoleFlags, roleOf } from './role-flags.ts';

/** `muster member`: who has which role in a project. */
export function addMemberCommands(program: Command, terminal: Terminal): void {
  const member = addNoun(program, 'member', 'Members of a project: users with their roles.');
  addList(member, terminal);
  addAdd(member, terminal);
  addUpdate(member, terminal);
  addRemove(member, terminal);
}

function addList(member: Command, terminal: Terminal): void {
  addListCommand(member, terminal, {
    summary: 'List members of a project, newest first.',
    examples: ['muster member list', 'muster member list --project edge --json'],
    view: memberView,
    things: 'members',
    none: 'No members. To invite somebody, run: muster invite --role operator',
    list: async ({ client }, query) => (await import('@muster/client')).listMembers(client, query).pages(),
  });
}

function addAdd(member: Command, terminal: Terminal): void {
  const command = addClientCommand(member, 'add <name|id>', {
    summary: 'Give a user of the installation a role in a project.',
    description:
      'Gives a user who has signed in before a role in a project. Only administrators find users by name. Send everybody else an invitation (muster invite).',
    examples: [
      'muster member add 0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d --role operator',
      'muster member add ada --role viewer --project edge',
    ],
  });
  addRoleFlags(addOutputFlags(addProjectFlag(command))).action(
    async (nameOrID: string, flags: ClientFlags & RoleFlags) => {
      const role = roleOf(flags);
      const { connection, printer } = await openContext(terminal, flags);
      const { addMember } = await import('@muster/client');
      const projectID = await chooseProjectID(connection, flags.project);
      const userID = await findUserID(connection, nameOrID);
      printer.one(await addMember(connection.client, { projectID, body: { userID, ...role } }), memberView);
    },
  );
}

function addUpdate(member: Command, terminal: Terminal): void {
  const command = addClientCommand(member, 'update <name|id>', {
    summary: 'Change the role of a member.',
    examples: ['muster member update ada --role viewer'],
  });
  addRoleFlags(addOutputFlags(addProjectFlag(command))).action(
    async (nameOrID: string, flags: ClientFlags & RoleFlags) => {
      const role = roleOf(flags);
      const { connection, printer } = await openContext(terminal, flags);
      const { updateMember } = await import('@muster/client');
      const projectID = await chooseProjectID(connection, flags.project);
      const userID = await findMemberID(connection, nameOrID, projectID);
      printer.one(await updateMember(connection.client, { projectID, userID, body: role }), memberView);
    },
  );
}

function addRemove(member: Command, terminal: Terminal): void {
  const command = addClientCommand(member, 'remove <name|id>', {
    summary: 'Remove a member from a project.',
    description:
      'Removes a member from a project. It applies at once to all their credentials. Project tokens that they have created or rotated go on working, because agents use them; --revoke-tokens revokes them too.',
    examples: ['muster member remove ada', 'muster member remove ada --revoke-tokens --yes'],
  });
  addYesFlag(addProjectFlag(command))
    .option(
      '--revoke-tokens',
      'Also revoke the project tokens that they have created or rotated. Agents that use them stop working.',
    )
    .action(async (nameOrID: string, flags: ClientFlags & { yes?: boolean; revokeTokens?: boolean }) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { removeMember } = await import('@muster/client');
      const projectID = await chooseProjectID(connection, flags.project);
      const userID = await findMemberID(connection, nameOrID, projectID);
      const also = flags.revokeTokens ? ', and revoke the tokens that they have created or rotated' : '';
      await confirm(terminal, `Remove the member '${nameOrID}'${also}?`, flags.yes);
      const { keptTokensCount, revokedTokensCount } = await removeMember(connection.client, {
        projectID,
        userID,
        ...(flags.revokeTokens ? { revoke_tokens: true } : {}),
      });
      printer.note(`Removed the member '${nameOrID}'.`);
      if (revokedTokensCount > 0) printer.note(`Revoked: ${countOf(revokedTokensCount, 'token')}.`);
      if (keptTokensCount > 0) {
        printer.note(
          `Still valid: ${countOf(keptTokensCount, 'token')} that they have created or rotated, and know. To replace them, run: muster token list, and muster token rotate NAME`,
        );
      }
    });
}
