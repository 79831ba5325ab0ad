import { countOf } from '@muster/contract';
import type { Command } from 'commander';
import { addClientCommand, addProjectFlag, type ClientFlags, openContext } from '../../client-command.ts';
import { findAgentID, findFleetID } from '../../connection/find-resources.ts';
import type { Terminal } from '../../terminal/terminal.ts';

interface MoveFlags extends ClientFlags {
  readonly fleet: string;
}

/** `muster agent move` */
export function addAgentMoveCommand(agent: Command, terminal: Terminal): void {
  const command = addClientCommand(agent, 'move <agent...>', {
    summary: 'Move agents to another fleet.',
    description:
      'Moves agents to another fleet of their project: from their next request on, they get its configuration. Nothing has to be changed on their hosts. All of them are moved, or none. Agents that are configured with fleet_id cannot be moved.',
    examples: ['muster agent move web-01 --fleet canary', 'muster agent move web-01 web-02 --fleet edge'],
  });
  addProjectFlag(command)
    .requiredOption('--fleet <name|id>', 'The fleet that they are in from then on.')
    .action(async (agents: readonly string[], flags: MoveFlags) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { moveAgents } = await import('@muster/client');
      const fleetID = await findFleetID(connection, flags.fleet, flags.project);
      const agentIDs: string[] = [];
      for (const one of agents) agentIDs.push(await findAgentID(connection, one, flags.project));
      const { movedCount } = await moveAgents(connection.client, { fleetID, body: { agentIDs } });
      printer.note(`Moved ${countOf(movedCount, 'agent')} to the fleet '${flags.fleet}'.`);
    });
}
