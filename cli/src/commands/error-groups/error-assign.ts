import type { Client } from '@muster/client';
import type { Command } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import type { Connection } from '../../connection/connect.ts';
import { findGroupID } from '../../connection/find-agent-errors.ts';
import { findMemberID } from '../../connection/find-person.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { groupView } from './group-view.ts';

interface AssignFlags extends ClientFlags {
  readonly to?: string;
  readonly nobody?: true;
  readonly note?: string;
  readonly link?: string;
}

/** `muster error assign` */
export function addErrorAssignCommand(error: Command, terminal: Terminal): void {
  const command = addClientCommand(error, 'assign <group...>', {
    summary: 'Say who looks after groups, and what is known of them.',
    description:
      'Assigns groups to a user who has access to the project, and notes a text and a link. What is not given stays as it is. All groups are changed, or none.',
    examples: [
      'muster error assign 3f1e8a6b --to me',
      "muster error assign 3f1e8a6b 98a17ed9 --to ada --note 'Asking the platform team' --link https://tickets.example.com/4711",
      "muster error assign 3f1e8a6b --nobody --note ''",
    ],
  });
  addOutputFlags(addProjectFlag(command))
    .option('--to <user>', "The name or id of a member, or 'me'.")
    .option('--nobody', 'Assign them to nobody.')
    .option('--note <text>', "What is known, in at most 1,000 characters. '' removes it.")
    .option('--link <url>', "Where the work on it stands, such as a ticket. '' removes it.")
    .action(async (groups: readonly string[], flags: AssignFlags) => {
      const { to, nobody, note, link } = flags;
      if (to === undefined && nobody === undefined && note === undefined && link === undefined)
        throw new CommandError(
          'usage',
          'There is nothing to change.',
          'Add --to, --nobody, --note or --link.',
        );
      const { connection, printer } = await openContext(terminal, flags);
      const { updateAgentErrorGroups } = await import('@muster/client');
      const projectID = await chooseProjectID(connection, flags.project);
      const groupIDs: string[] = [];
      for (const group of groups) groupIDs.push(await findGroupID(connection, group, flags.project));
      const body = {
        groupIDs,
        ...(nobody && { assigneeID: null }),
        ...(to !== undefined && { assigneeID: await findAssigneeID(connection, to, projectID) }),
        ...(note !== undefined && { note: note || null }),
        ...(link !== undefined && { link: link || null }),
      };
      const changed = await updateAgentErrorGroups(connection.client, { projectID, body });
      if (printer.isForScript) return await printer.all(changed, groupView);
      for (const { pattern, assignee } of changed)
        printer.note(
          `${assignee === null ? 'Assigned to nobody' : `Assigned to '${assignee.name}'`}: ${pattern}`,
        );
    });
}

async function findAssigneeID(connection: Connection, name: string, projectID: string): Promise<string> {
  return name === 'me' ? findOwnID(connection.client) : findMemberID(connection, name, projectID);
}

/** @throws CommandError for a credential that is not of a user */
async function findOwnID(client: Client): Promise<string> {
  const { getMe } = await import('@muster/client');
  const { kind, id, name } = await getMe(client);
  if (kind === 'access') return id;
  throw new CommandError('usage', `'${name}' is not a user.`, 'Name a member with --to NAME.');
}
