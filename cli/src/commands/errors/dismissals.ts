import type { Dismissal } from '@muster/client';
import type { Command } from 'commander';
import {
  addClientCommand,
  addNoun,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { findDismissalID } from '../../connection/find-resources.ts';
import { countOf } from '../../output/count-of.ts';
import { dismissalView } from '../../output/dismissal-view.ts';
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
      'Reopens the errors that a dismissal has dismissed and that are still dismissed by it. A dismissal that is running is stopped first. An error is not reopened if its agent has an open error with the same text and configuration.',
    examples: ['muster dismissal undo 3f1e8a6b'],
  });
  addOutputFlags(addProjectFlag(command)).action(async (id: string, flags: ClientFlags) => {
    const context = await openContext(terminal, flags);
    const { undoDismissal } = await import('@muster/client');
    const dismissalID = await findDismissalID(context.connection, id, flags.project);
    const requested = await undoDismissal(context.connection.client, { dismissalID });
    const undone = await waitForDismissal(context, requested, requested.errorsCount);
    if (context.printer.isForScript) context.printer.one(undone, dismissalView);
    else for (const line of describeUndo(undone)) context.printer.note(line);
  });
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
