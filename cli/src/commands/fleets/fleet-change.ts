import type { Fleet } from '@muster/client';
import { countOf, quoteForShell } from '@muster/contract';
import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  collect,
  openContext,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { chooseProjectID, findFleetID } from '../../connection/find-resources.ts';
import { fleetView } from '../../output/fleet-view.ts';
import { readTextFile } from '../../read-text-file.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { findVersion } from './find-version.ts';
import { formatOfFile } from './format-of-file.ts';

interface FleetFlags extends ClientFlags {
  readonly config?: string;
  readonly format?: string;
  readonly note?: string;
  readonly tag?: readonly string[];
  readonly minVersion?: string;
  readonly reporting?: 'on' | 'off';
  readonly skipValidation?: boolean;
}

interface UpdateFlags {
  readonly name?: string;
  /** Its number. */
  readonly serveVersion?: string;
  readonly allAtOnce?: true;
  readonly despiteBad?: true;
}

/** `muster fleet create` */
export function addFleetCreateCommand(noun: Command, terminal: Terminal): void {
  const command = addClientCommand(noun, 'create <name>', {
    summary: 'Create a fleet, with its first configuration.',
    description:
      'Creates a fleet. Agents that are configured with its name get the configuration within seconds. A configuration with errors is refused, with the line of each.',
    examples: [
      'muster fleet create edge --config fluent-bit.yaml',
      'muster fleet create edge --config fluent-bit.conf --tag eu --note "From the wiki"',
    ],
  });
  addFleetFlags(command).action(async (name: string, flags: FleetFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { createFleet, getFleet } = await import('@muster/client');
    const projectID = await chooseProjectID(connection, flags.project);
    const body = { name, ...(await contentOf(flags, terminal)) };
    const { id: fleetID } = await createFleet(connection.client, { projectID, body });
    printer.one(await getFleet(connection.client, { fleetID }), fleetView);
  });
}

/** `muster fleet update` */
export function addFleetUpdateCommand(noun: Command, terminal: Terminal): void {
  const command = addClientCommand(noun, 'update <name|id>', {
    summary: 'Give a fleet another configuration, or change what is known about it.',
    description:
      'Changes a fleet. With another configuration, a version is created, and all agents of the fleet get it within seconds; if it has agents, that takes --all-at-once, as another --reporting does. The same configuration again changes nothing. To see first what would change, validate the file, and compare the versions afterwards.',
    examples: [
      'muster fleet update edge --config fluent-bit.yaml --note "Send to es-2"',
      'muster fleet update edge --serve-version 3',
      'muster fleet update edge --reporting off',
    ],
  });
  addFleetFlags(command)
    .option('--name <name>', 'Its new name.')
    .addOption(
      new Option(
        '--serve-version <number>',
        'Let all agents get this version again, with its files.',
      ).conflicts('config'),
    )
    .option('--all-at-once', 'Give what changes to all agents without a rollout.')
    .option('--despite-bad', 'Also if a rollout of this version has stopped by itself before.')
    .action(async (nameOrID: string, flags: FleetFlags & UpdateFlags) => {
      const { name, serveVersion, allAtOnce, despiteBad, config, reporting } = flags;
      const described = { ...(name === undefined ? {} : { name }), ...(await contentOf(flags, terminal)) };
      if (Object.keys(described).length === 0 && serveVersion === undefined)
        throw new CommandError(
          'usage',
          'There is nothing to change.',
          'Add one of the flags that --help lists.',
        );
      const { connection, printer } = await openContext(terminal, flags);
      const { getFleet, updateFleet } = await import('@muster/client');
      const fleetID = await findFleetID(connection, nameOrID, flags.project);
      const isServedAnew = config !== undefined || serveVersion !== undefined || reporting !== undefined;
      if (isServedAnew && !allAtOnce) {
        const fleet = await getFleet(connection.client, { fleetID });
        if (config !== undefined || serveVersion !== undefined || reporting !== fleet.reporting)
          requireNoAgents(fleet, serveVersion === undefined ? config : 'FILE');
      }
      const version =
        serveVersion === undefined
          ? {}
          : { versionID: (await findVersion(connection, fleetID, serveVersion)).id };
      await updateFleet(connection.client, {
        fleetID,
        body: { ...described, ...version, ...(despiteBad && { despiteBad }) },
      });
      printer.one(await getFleet(connection.client, { fleetID }), fleetView);
    });
}

/** A mistake would be on all of them within seconds. @throws CommandError (usage) */
export function requireNoAgents(
  { name, agentsCount, currentVersion }: Fleet,
  file: string | undefined,
): void {
  const agents = agentsCount.active + agentsCount.inactive;
  if (agents === 0 || currentVersion === null) return;
  throw new CommandError(
    'usage',
    `${countOf(agents, 'agent')} would get it at once.`,
    [
      ...(file === undefined
        ? []
        : [
            `To give it to them stage by stage, run: muster rollout start ${quoteForShell(name)} --config ${quoteForShell(file)} --reason TEXT`,
          ]),
      'To give it to all of them at once, add --all-at-once.',
    ].join('\n'),
  );
}

function addFleetFlags(command: Command): Command {
  return addOutputFlags(addProjectFlag(command), 'Print only the id.')
    .option('--config <file>', 'File with its configuration; - for standard input.')
    .option('--format <format>', 'classic, yaml or json. Default: as the name of the file ends, or classic.')
    .option('--note <text>', 'What the new version is about.')
    .option('--tag <tag>', 'A tag; may be repeated.', collect)
    .option('--min-version <version>', 'The oldest Fluent Bit that the configuration is for: 3.2.0.')
    .addOption(
      new Option('--reporting <on|off>', 'Whether agents are told to report their own errors.').choices([
        'on',
        'off',
      ]),
    )
    .option('--skip-validation', 'Accept plugins and properties that are not known.');
}

/** What the flags say, in the form of the API. */
async function contentOf(flags: FleetFlags, terminal: Terminal) {
  const { config, format, note, tag, minVersion, reporting, skipValidation } = flags;
  return {
    ...(config === undefined
      ? {}
      : {
          rawConfig: await readTextFile(terminal, config),
          configFormat: format ?? formatOfFile(config),
        }),
    ...(note === undefined ? {} : { note }),
    ...(tag === undefined ? {} : { tags: [...tag] }),
    ...(minVersion === undefined ? {} : { minFluentBitVersion: minVersion }),
    ...(reporting === undefined ? {} : { reporting }),
    ...(skipValidation === undefined ? {} : { skipConfigValidation: skipValidation }),
  };
}
