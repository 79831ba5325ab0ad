import { basename } from 'node:path';
import type { FleetFile } from '@muster/client';
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
import { findFleetID } from '../../connection/find-resources.ts';
import { fleetFileView } from '../../output/fleet-view.ts';
import { readTextFile } from '../../read-text-file.ts';
import type { Terminal } from '../../terminal/terminal.ts';

interface FilesFlags extends ClientFlags {
  readonly set?: string;
  readonly remove?: string;
}

/** `muster fleet files`: files that agents get beside their configuration. */
export function addFleetFileCommands(noun: Command, terminal: Terminal): void {
  const command = addClientCommand(noun, 'files <name|id>', {
    summary: 'List, set and remove files that agents of a fleet get beside their configuration.',
    description:
      'Lists the files that agents of a fleet get beside their configuration, such as one with parsers. The configuration refers to a file by its name alone. Each change is a version of the fleet, which all of its agents get.',
    examples: [
      'muster fleet files edge',
      'muster fleet files edge --set parsers.conf',
      'muster fleet files edge --remove parsers.conf',
    ],
  });
  addOutputFlags(addProjectFlag(command))
    .option('--set <file>', 'Adds this file, or replaces the one with its name.')
    .option('--remove <name>', 'Removes the file with this name.')
    .action(async (nameOrID: string, flags: FilesFlags) => {
      const { connection, printer } = await openContext(terminal, flags);
      const fleetID = await findFleetID(connection, nameOrID, flags.project);
      if (flags.set !== undefined) await setFile(connection, terminal, fleetID, flags.set);
      if (flags.remove !== undefined) await removeFile(connection, fleetID, flags.remove);
      const files = await listFiles(connection, fleetID);
      await printer.all(files, fleetFileView);
      if (files.length === 0) printer.note('No files. To add one, run: muster fleet files NAME --set FILE');
    });
}

async function setFile(
  { client }: Connection,
  terminal: Terminal,
  fleetID: string,
  path: string,
): Promise<void> {
  const { createFleetFile, updateFleetFile } = await import('@muster/client');
  const name = basename(path);
  const contents = Buffer.from(await readTextFile(terminal, path)).toString('base64');
  const present = (await listFiles({ client }, fleetID)).find((file) => file.name === name);
  if (present === undefined) await createFleetFile(client, { fleetID, body: { name, contents } });
  else await updateFleetFile(client, { fleetFileID: present.id, body: { contents } });
}

async function removeFile({ client }: Connection, fleetID: string, name: string): Promise<void> {
  const { deleteFleetFile } = await import('@muster/client');
  const present = (await listFiles({ client }, fleetID)).find((file) => file.name === name);
  if (present === undefined)
    throw new CommandError(
      'notFound',
      `The fleet has no file '${name}'.`,
      'To list the existing ones, run: muster fleet files NAME',
    );
  await deleteFleetFile(client, { fleetFileID: present.id });
}

async function listFiles({ client }: Pick<Connection, 'client'>, fleetID: string): Promise<FleetFile[]> {
  const { listFleetFiles } = await import('@muster/client');
  const files: FleetFile[] = [];
  for await (const file of listFleetFiles(client, { fleetID })) files.push(file);
  return files;
}
