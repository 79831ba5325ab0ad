import type { Command } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { findAgentID } from '../../connection/find-resources.ts';
import { agentView } from '../../output/views.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type AgentFlags, addAgentFlags, describedBy } from './agent-flags.ts';

/** `muster agent update` */
export function addAgentUpdateCommand(agent: Command, terminal: Terminal): void {
  const command = addClientCommand(agent, 'update <name|id>', {
    summary: 'Rename an agent, or change what is known about it.',
    description:
      'Changes what is known about an agent. With a new configuration, errors that the agent reports again are stored as new errors. Open errors stay open until they are dismissed.',
    examples: [
      'muster agent update web-01 --fleet edge --tag eu --tag canary',
      'muster agent update web-01 --config /etc/fluent-bit/fluent-bit.conf',
    ],
  });
  addAgentFlags(addOutputFlags(addProjectFlag(command)))
    .option('--name <name>', 'Its new name.')
    .action(async (nameOrID: string, flags: ClientFlags & AgentFlags & { name?: string }) => {
      const { name } = flags;
      const body = { ...(name === undefined ? {} : { name }), ...(await describedBy(flags, terminal)) };
      if (Object.keys(body).length === 0) {
        throw new CommandError(
          'usage',
          'There is nothing to change.',
          'Add one of the flags that --help lists.',
        );
      }
      const { connection, printer } = await openContext(terminal, flags);
      const { getAgent, updateAgent } = await import('@muster/client');
      const agentID = await findAgentID(connection, nameOrID, flags.project);
      await updateAgent(connection.client, { agentID, body });
      printer.one(await getAgent(connection.client, { agentID }), agentView);
    });
}
