import type { ReportedFleets } from '@muster/client';
import { maxListedFleets, numberOf } from '@muster/contract';
import type { Command } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import type { View } from '../../output/printer.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** `muster fleet reported`: the fleets in which agents say that they are. */
export function addReportedFleetsCommand(noun: Command, terminal: Terminal): void {
  const command = addClientCommand(noun, 'reported', {
    summary: 'List the fleets that agents report, with the number of their agents.',
    description:
      'Lists the fleets that agents of a project report, also those that were not created in Muster, in the order of their ids. Other commands take the ids as --fleet.',
    examples: ['muster fleet reported', `muster fleet reported --json | jq -r 'max_by(.agentsCount).id'`],
  });
  addOutputFlags(addProjectFlag(command)).action(async (flags: ClientFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { getReportedFleets } = await import('@muster/client');
    const projectID = await chooseProjectID(connection, flags.project);
    const { fleets } = await getReportedFleets(connection.client, { projectID });
    await printer.all(fleets, reportedFleetView);
    if (fleets.length === maxListedFleets)
      printer.note(`These are the first ${numberOf(maxListedFleets)} fleets. There may be more.`);
    if (fleets.length > 0 || printer.isForScript) return;
    printer.note('No fleets. To put an agent into one, run: muster agent update NAME --fleet ID');
  });
}

const reportedFleetView: View<ReportedFleets['fleets'][number]> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', isFlexible: true, cell: ({ id }) => id },
    { title: 'AGENTS', isRightAligned: true, cell: ({ agentsCount }) => numberOf(agentsCount) },
    { title: 'NAME', isFlexible: true, isOptional: true, cell: ({ name }) => name ?? '' },
  ],
  details: ({ id, name, agentsCount }) => [
    ['id', id],
    ['name', name ?? undefined],
    ['agents', numberOf(agentsCount)],
  ],
};
