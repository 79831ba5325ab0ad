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
import { isID } from '../../connection/find-by-name.ts';
import { findAgentID } from '../../connection/find-resources.ts';
import type { Terminal } from '../../terminal/terminal.ts';

interface CreateFlags extends ClientFlags {
  readonly machine?: string;
  readonly agent?: string;
  readonly truncate?: boolean;
}

/** `muster error create`: reports an error as an agent would. */
export function addErrorCreateCommand(error: Command, terminal: Terminal): void {
  const command = addClientCommand(error, 'create <text>', {
    summary: 'Report an error as an agent would.',
    description:
      'Reports an error of a machine or an agent. It needs a project token or the token of that agent; an access token cannot report. An agent token reports for its own agent and needs neither flag. A repeated text is counted and not stored again.',
    examples: [
      "MUSTER_TOKEN=$PROJECT_TOKEN muster error create --machine my-laptop 'no upstream connections'",
    ],
  });
  addOutputFlags(addProjectFlag(command))
    .option('--machine <id>', 'Report for the agent with this machine id; an unknown one is registered.')
    .option('--agent <name|id>', 'Report for this agent.')
    .option('--truncate', 'Cut a text longer than 1024 characters instead of refusing it.')
    .action(async (text: string, flags: CreateFlags) => {
      const { machine, agent, truncate = false } = flags;
      if (machine !== undefined && agent !== undefined) {
        throw new CommandError('usage', 'Give --machine or --agent, not both.');
      }
      const { connection, printer } = await openContext(terminal, flags);
      if (machine === undefined && agent === undefined && connection.kind !== 'agent') {
        throw new CommandError('usage', 'Name the agent with either --machine or --agent.');
      }
      const { client } = connection;
      const { createAgentError, createMachineError } = await import('@muster/client');
      const body = { error: text };
      const report =
        machine === undefined
          ? await createAgentError(client, {
              agentID: await findReporter(connection, agent, flags.project),
              truncate,
              body,
            })
          : await createMachineError(client, { machineID: machine, truncate, body });
      const { id, createdAt, outcome } = report;
      printer.summary({ id, createdAt }, id, [
        ['id', id],
        ['created', printer.time(createdAt)],
      ]);
      printer.note(
        outcome === 'ignored'
          ? 'Ignored: the same error is already open; the repeat was counted.'
          : 'Created.',
      );
    });
}

/** An agent token can report only for its own agent and cannot look up others. */
async function findReporter(
  connection: Connection,
  nameOrID: string | undefined,
  projectFlag: string | undefined,
): Promise<string> {
  if (connection.kind !== 'agent') return findAgentID(connection, nameOrID ?? '', projectFlag);
  const { getMe } = await import('@muster/client');
  const { id, name } = await getMe(connection.client);
  const isOwn = nameOrID === undefined || nameOrID === name || nameOrID.toLowerCase() === id;
  if (isOwn) return id;
  throw new CommandError(
    'usage',
    `This token belongs to the agent '${name}' and cannot report errors of ${isID(nameOrID) ? 'the agent ' : ''}'${nameOrID}'.`,
    'Leave out --agent, or use a project token.',
  );
}
