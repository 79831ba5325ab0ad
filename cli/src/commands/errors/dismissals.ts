import type { Dismissal } from '@muster/client';
import { countOf, largestPageSize } from '@muster/contract';
import type { Command } from 'commander';
import {
  addClientCommand,
  addNoun,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  type CommandContext,
  openContext,
  repeatedFlags,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { findGroupID, isGroupID } from '../../connection/find-agent-errors.ts';
import { chooseProjectID, findDismissalID } from '../../connection/find-resources.ts';
import { dismissalView } from '../../output/dismissal-view.ts';
import { nameOfActor } from '../../output/people-views.ts';
import { shortID } from '../../output/short-id.ts';
import { addGetCommand, addListCommand } from '../../read-commands.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { waitForDismissal } from '../../watch/wait-for-dismissal.ts';

/** `muster dismissal`: dismissals of many errors at once. */
export function addDismissalCommands(program: Command, terminal: Terminal): void {
  const dismissal = addNoun(
    program,
    'dismissal',
    "Dismissals: what 'muster error dismiss' has dismissed by group, text, agent or fleet.",
  );
  addList(dismissal, terminal);
  addGet(dismissal, terminal);
  addUndo(dismissal, terminal);
}

function addList(dismissal: Command, terminal: Terminal): void {
  addListCommand(dismissal, terminal, {
    summary: 'List dismissals of a project, newest first.',
    description:
      'Lists dismissals of a project, newest first. Errors that were dismissed by their ids are not in the list.',
    examples: ['muster dismissal list', 'muster dismissal list --last 1 --quiet'],
    view: dismissalView,
    things: 'dismissals',
    none: 'No dismissals.',
    list: async ({ client }, query) => (await import('@muster/client')).listDismissals(client, query).pages(),
  });
}

function addGet(dismissal: Command, terminal: Terminal): void {
  addGetCommand(dismissal, terminal, {
    argument: '<id>',
    summary: 'Show a dismissal and its progress.',
    examples: ['muster dismissal get 3f1e8a6b'],
    view: dismissalView,
    find: findDismissalID,
    get: async (client, dismissalID) =>
      (await import('@muster/client')).getDismissal(client, { dismissalID }),
  });
}

function addUndo(dismissal: Command, terminal: Terminal): void {
  const command = addClientCommand(dismissal, 'undo <id>', {
    summary: 'Reopen the errors that a dismissal has dismissed.',
    description:
      'Reopens the errors that a dismissal has dismissed and that are still dismissed by it. A dismissal that is running is stopped first. An error is not reopened if its agent has an open error with the same text and configuration. With the id of a group of errors, it undoes the newest dismissal of that group.',
    examples: ['muster dismissal undo 3f1e8a6b', 'muster dismissal undo 8a6b4c2d'],
  });
  addOutputFlags(addProjectFlag(command)).action(async (id: string, flags: ClientFlags) => {
    const context = await openContext(terminal, flags);
    const { getDismissal, undoDismissal } = await import('@muster/client');
    const dismissalID = await findDismissalToUndo(context, id, flags);
    const { client } = context.connection;
    const { undo: earlier } = await getDismissal(client, { dismissalID });
    const requested = await undoDismissal(client, { dismissalID });
    const undone = await waitForDismissal(context, requested, requested.errorsCount);
    if (context.printer.isForScript) context.printer.one(undone, dismissalView);
    else if (earlier !== null && earlier.endedAt !== null) {
      const { requestedAt, requestedBy } = earlier;
      context.printer.note(
        `It was undone already: ${context.printer.time(requestedAt)}, by ${nameOfActor(requestedBy)}. Nothing was done now.`,
      );
    } else for (const line of describeUndo(undone)) context.printer.note(line);
  });
}

/** The dismissal with that id; or the newest one of the group with that id. */
async function findDismissalToUndo(context: CommandContext, id: string, flags: ClientFlags): Promise<string> {
  const { connection } = context;
  if (isGroupID(id)) return findNewestOfGroup(context, id.toLowerCase(), flags);
  try {
    return await findDismissalID(connection, id, flags.project);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const groupID = await findGroupID(connection, id, flags.project).catch((failure: unknown) => {
      throw isNotFound(failure) ? error : failure;
    });
    return findNewestOfGroup(context, groupID, flags);
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof CommandError && error.failure === 'notFound';
}

/** @throws CommandError if there is none, or if it has dismissed other groups too */
async function findNewestOfGroup(
  { connection, printer }: CommandContext,
  groupID: string,
  flags: ClientFlags,
): Promise<string> {
  const { listDismissals } = await import('@muster/client');
  const projectID = await chooseProjectID(connection, flags.project);
  const { items } = await listDismissals(connection.client, { projectID, last: largestPageSize }).first();
  const newest = items.find(
    ({ state, filter }) =>
      (state === 'running' || state === 'done') &&
      (filter.groupID === groupID || filter.groupIDs?.includes(groupID) === true),
  );
  const repeated = repeatedFlags(flags);
  if (newest === undefined)
    throw new CommandError(
      'notFound',
      `'${groupID}' is a group of errors, and no dismissal of it can be undone.`,
      `To list dismissals, run: muster dismissal list${repeated}`,
    );
  const others = (newest.filter.groupIDs?.length ?? 1) - 1;
  if (others > 0)
    throw new CommandError(
      'usage',
      `The newest dismissal of the group '${groupID}' has dismissed ${countOf(others, 'other group')} too.`,
      `To undo it for all of them, run: muster dismissal undo ${newest.id}${repeated}`,
    );
  printer.note(`Undoing the dismissal ${shortID(newest.id)}: ${newest.reason}`);
  return newest.id;
}

function describeUndo({ undo }: Dismissal): string[] {
  if (undo === null) return [];
  const { equalErrorOpen, changedSince } = undo.notReopened;
  return [
    `Reopened: ${countOf(undo.reopenedCount, 'error')}.`,
    ...(equalErrorOpen === 0
      ? []
      : [
          `Not reopened: ${countOf(equalErrorOpen, 'error')}, because an open error with the same text and configuration exists.`,
        ]),
    ...(changedSince === 0
      ? []
      : [`Not reopened: ${countOf(changedSince, 'error')} that were reopened or removed since.`]),
  ];
}
