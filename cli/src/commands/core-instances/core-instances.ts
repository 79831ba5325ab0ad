import type { CoreInstance } from '@muster/client';
import { coreInstanceStatuses, countOf } from '@muster/contract';
import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addNoun,
  addOutputFlags,
  addProjectFlag,
  addYesFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { findCoreInstanceID } from '../../connection/find-resources.ts';
import { readSeconds } from '../../duration.ts';
import { coreInstanceView } from '../../output/core-instance-view.ts';
import { addGetCommand, addListCommand, type ListFlags } from '../../read-commands.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addCoreInstanceCreate } from './core-instance-create.ts';
import { addCoreInstanceInstall } from './core-instance-install.ts';
import { addCoreInstanceStartCommand } from './core-instance-start.ts';

interface FilterFlags {
  readonly name?: string;
  readonly status?: CoreInstance['status'];
  readonly tag?: string;
}

/** `muster core-instance`: Musters at sites. */
export function addCoreInstanceCommands(program: Command, terminal: Terminal): void {
  const noun = addNoun(
    program,
    'core-instance',
    'Core instances: Musters at sites, which take what agents send and pass it on.',
  ).aliases(['core_instance', 'core_instances']);
  addList(noun, terminal);
  addGet(noun, terminal);
  addCoreInstanceCreate(noun, terminal);
  addCoreInstanceInstall(noun, terminal);
  addCoreInstanceStartCommand(noun, terminal);
  addRotate(noun, terminal);
  addDelete(noun, terminal);
}

function addList(noun: Command, terminal: Terminal): void {
  addListCommand<CoreInstance, ListFlags & FilterFlags>(noun, terminal, {
    summary: 'List core instances of a project, newest first.',
    description:
      'Lists core instances of a project, newest first, with their status, how far they lag behind, the agents behind them, and how many reports they have lost.',
    examples: [
      'muster core-instance list',
      'muster core-instance list --status unreachable --quiet',
      `muster core-instance list --all --json | jq -r '.[] | select(.lagSeconds > 60) | .name'`,
    ],
    view: coreInstanceView,
    things: 'core instances',
    none: 'No core instances. To deploy one, run: muster core-instance create NAME',
    addFlags: (command) =>
      command
        .option('--name <pattern>', 'Only with this name; * matches any run of characters.')
        .addOption(new Option('--status <status>', 'In this state.').choices(coreInstanceStatuses))
        .option('--tag <tag>', 'Only with this tag.'),
    filters: ({ name, status, tag }) => ({ '--name': name, '--status': status, '--tag': tag }),
    list: async ({ client }, query, { name, status, tag }) =>
      (await import('@muster/client'))
        .listCoreInstances(client, {
          ...query,
          ...(name === undefined ? {} : { name }),
          ...(status === undefined ? {} : { status }),
          ...(tag === undefined ? {} : { tag }),
        })
        .pages(),
  });
}

function addGet(noun: Command, terminal: Terminal): void {
  addGetCommand(noun, terminal, {
    argument: '<name|id>',
    summary: 'Show a core instance: its status, what waits at the site, and what was lost.',
    examples: [
      'muster core-instance get plant-7',
      'muster core-instance get plant-7 --json | jq .lagSeconds',
    ],
    view: coreInstanceView,
    find: findCoreInstanceID,
    get: async (client, coreInstanceID) =>
      (await import('@muster/client')).getCoreInstance(client, { coreInstanceID }),
  });
}

function addRotate(noun: Command, terminal: Terminal): void {
  const command = addClientCommand(noun, 'rotate <name|id>', {
    summary: 'Let a core instance get itself a new token.',
    description:
      'Lets a core instance get itself a new token when it is next heard, and ends the old one when the new one is used. If the core instance is not heard within a day, or within --grace, the old one ends too. With --grace 0s it ends at once, for a token that others may know. A core instance whose token has ended goes on collecting, and joins again when it is given a project token.',
    examples: ['muster core-instance rotate plant-7', 'muster core-instance rotate plant-7 --grace 0s'],
  });
  addOutputFlags(addProjectFlag(command), 'Print only the id.')
    .option(
      '--grace <time>',
      'For how long a core instance that is not heard may still use the old token: 24h, 30min, 90s; at most 7d.',
      readSeconds,
    )
    .action(async (nameOrID: string, flags: ClientFlags & { readonly grace?: number }) => {
      const { grace } = flags;
      const { connection, printer } = await openContext(terminal, flags);
      const { rotateCoreInstance } = await import('@muster/client');
      const coreInstanceID = await findCoreInstanceID(connection, nameOrID, flags.project);
      const body = grace === undefined ? {} : { graceSeconds: grace };
      const rotated = await rotateCoreInstance(connection.client, { coreInstanceID, body });
      printer.one(rotated, coreInstanceView);
      printer.note(
        grace === 0
          ? `The token has ended. '${rotated.name}' keeps what agents send, and joins again when it is given a project token.`
          : `'${rotated.name}' gets itself a new token when it is next heard.`,
      );
    });
}

function addDelete(noun: Command, terminal: Terminal): void {
  const command = addClientCommand(noun, 'delete <name|id>', {
    summary: 'Delete a core instance. Its agents stay.',
    description:
      'Deletes a core instance. What still waits at its site is not accepted any more, and stays in its spool. The agents behind it stay, and can report to another core instance or to the service.',
    examples: ['muster core-instance delete plant-7', 'muster core-instance delete plant-7 --yes'],
  });
  addYesFlag(addProjectFlag(command)).action(
    async (nameOrID: string, flags: ClientFlags & { readonly yes?: boolean }) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { deleteCoreInstance, getCoreInstance } = await import('@muster/client');
      const coreInstanceID = await findCoreInstanceID(connection, nameOrID, flags.project);
      const { name, spooledCount } = await getCoreInstance(connection.client, { coreInstanceID });
      const waiting =
        spooledCount === 0
          ? ''
          : ` ${countOf(spooledCount, 'report')} ${spooledCount === 1 ? 'waits' : 'wait'} there.`;
      await confirm(terminal, `Delete the core instance '${name}'?${waiting}`, flags.yes);
      await deleteCoreInstance(connection.client, { coreInstanceID });
      printer.note(`Deleted the core instance '${name}'.`);
    },
  );
}
