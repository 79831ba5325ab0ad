import type { Fleet } from '@muster/client';
import { numberOf } from '@muster/contract';
import type { Command } from 'commander';
import {
  addClientCommand,
  addNoun,
  addProjectFlag,
  addYesFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { findFleetID } from '../../connection/find-resources.ts';
import { fleetView } from '../../output/fleet-view.ts';
import { addGetCommand, addListCommand, type ListFlags } from '../../read-commands.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addFleetCreateCommand, addFleetUpdateCommand } from './fleet-change.ts';
import { addFleetFileCommands } from './fleet-files.ts';
import { addFleetValidateCommand } from './fleet-validate.ts';
import { addFleetValueCommands } from './fleet-values.ts';
import { addFleetVersionCommands } from './fleet-versions.ts';
import { addReportedFleetsCommand } from './reported-fleets.ts';

interface FilterFlags {
  readonly name?: string;
  readonly tag?: readonly string[];
}

/** `muster fleet`: configurations that agents get from the service. */
export function addFleetCommands(program: Command, terminal: Terminal): void {
  const noun = addNoun(
    program,
    'fleet',
    'Fleets: agents with a common configuration, which they get from Muster.',
  );
  addList(noun, terminal);
  addGet(noun, terminal);
  addFleetCreateCommand(noun, terminal);
  addFleetUpdateCommand(noun, terminal);
  addFleetValidateCommand(noun, terminal);
  addFleetVersionCommands(noun, terminal);
  addFleetFileCommands(noun, terminal);
  addFleetValueCommands(noun, terminal);
  addReportedFleetsCommand(noun, terminal);
  addDelete(noun, terminal);
}

function addList(noun: Command, terminal: Terminal): void {
  addListCommand<Fleet, ListFlags & FilterFlags>(noun, terminal, {
    summary: 'List fleets of a project, newest first.',
    description:
      'Lists fleets of a project, newest first, with the version that they serve and the number of their agents.',
    examples: ['muster fleet list', 'muster fleet list --tag eu --quiet'],
    view: fleetView,
    things: 'fleets',
    none: 'No fleets. To create one, run: muster fleet create NAME --config FILE',
    addFlags: (command) =>
      command
        .option('--name <pattern>', 'Only with this name; * matches any run of characters.')
        .option(
          '--tag <tag>',
          'Only with this tag; may be repeated.',
          (tag: string, before: string[] = []) => [...before, tag],
        ),
    filters: ({ name, tag }) => ({ '--name': name, '--tag': tag?.join(' ') }),
    list: async ({ client }, query, { name, tag }) =>
      (await import('@muster/client'))
        .listFleets(client, {
          ...query,
          ...(name === undefined ? {} : { name }),
          ...(tag === undefined ? {} : { tags_query: tag.join(',') }),
        })
        .pages(),
  });
}

function addGet(noun: Command, terminal: Terminal): void {
  addGetCommand(noun, terminal, {
    argument: '<name|id>',
    summary: 'Show a fleet: its version, and its agents.',
    examples: ['muster fleet get edge', 'muster fleet get edge --json | jq -r .rawConfig'],
    view: fleetView,
    find: findFleetID,
    get: async (client, fleetID) => (await import('@muster/client')).getFleet(client, { fleetID }),
  });
}

function addDelete(noun: Command, terminal: Terminal): void {
  const command = addClientCommand(noun, 'delete <name|id>', {
    summary: 'Delete a fleet. Its agents go on with the configuration that they have.',
    examples: ['muster fleet delete edge', 'muster fleet delete edge --yes'],
  });
  addYesFlag(addProjectFlag(command)).action(
    async (nameOrID: string, flags: ClientFlags & { readonly yes?: boolean }) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { deleteFleet, getFleet } = await import('@muster/client');
      const fleetID = await findFleetID(connection, nameOrID, flags.project);
      const { name, agentsCount } = await getFleet(connection.client, { fleetID });
      const agents = agentsCount.active + agentsCount.inactive;
      const consequence =
        agents === 0
          ? ''
          : agents === 1
            ? ' Its agent goes on with the configuration that it has.'
            : ` Its ${numberOf(agents)} agents go on with the configuration that they have.`;
      await confirm(terminal, `Delete the fleet '${name}'?${consequence}`, flags.yes);
      await deleteFleet(connection.client, { fleetID });
      printer.note(`Deleted the fleet '${name}'.`);
    },
  );
}
