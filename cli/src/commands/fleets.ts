import type { ReportedFleets } from '@muster/client';
import { maxListedFleets } from '@muster/contract';
import type { Command } from 'commander';
import {
  addClientCommand,
  addNoun,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../client-command.ts';
import { chooseProjectID } from '../connection/find-resources.ts';
import { numberOf } from '../output/count-of.ts';
import type { View } from '../output/printer.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `muster fleet`: the groups in which agents say that they are. */
export function addFleetCommands(program: Command, terminal: Terminal): void {
  const fleet = addNoun(program, 'fleet', 'Fleets: groups of agents, which the agents themselves name.');
  const command = addClientCommand(fleet, 'list', {
    summary: 'List fleets of a project with the number of their agents.',
    description:
      'Lists the fleets that agents of a project report, in the order of their ids, with the number of their agents. Other commands take the ids as --fleet.',
    examples: ['muster fleet list', `muster fleet list --json | jq -r 'max_by(.agentsCount).id'`],
  });
  addOutputFlags(addProjectFlag(command)).action(async (flags: ClientFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { getReportedFleets } = await import('@muster/client');
    const projectID = await chooseProjectID(connection, flags.project);
    const { fleets } = await getReportedFleets(connection.client, { projectID });
    await printer.all(fleets, fleetView);
    if (fleets.length === maxListedFleets)
      printer.note(`These are the first ${numberOf(maxListedFleets)} fleets. There may be more.`);
    if (fleets.length > 0 || printer.isForScript) return;
    printer.note('No fleets. To put an agent into one, run: muster agent update NAME --fleet ID');
  });
}

const fleetView: View<ReportedFleets['fleets'][number]> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', isFlexible: true, cell: ({ id }) => id },
    { title: 'AGENTS', isRightAligned: true, cell: ({ agentsCount }) => numberOf(agentsCount) },
  ],
  details: ({ id, agentsCount }) => [
    ['id', id],
    ['agents', numberOf(agentsCount)],
  ],
};
