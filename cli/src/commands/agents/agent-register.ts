import type { Client, RegisterAgent, RegisteredAgent } from '@muster/client';
import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  type CommandContext,
  openContext,
} from '../../client-command.ts';
import { createConnectedClient } from '../../connection/connect.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import { printable } from '../../output/printable.ts';
import { type SnippetName, snippetNames, snippets } from '../../snippets/snippets.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type AgentFlags, addAgentFlags, describedBy } from './agent-flags.ts';

interface RegisterFlags extends ClientFlags, AgentFlags {
  readonly machine?: string;
  readonly snippet?: SnippetName;
}

/** `muster agent register`: an agent with a token of its own, and the configuration with which it reports. */
export function addAgentRegisterCommand(agent: Command, terminal: Terminal): void {
  const command = addClientCommand(agent, 'register <name>', {
    summary: 'Register an agent; its token is shown once.',
    description:
      'Registers an agent and shows its token only once. If the machine is already registered in the project, its agent gets a new token; the previous token stays valid until the new one is used. A server with MUSTER_REGISTRATION=once refuses this: run muster agent release first. With --snippet, it writes the configuration with which the agent reports its own errors to standard output, and the token to standard error.',
    examples: [
      'muster agent register web-01',
      'muster agent register web-01 --snippet fluent-bit > muster.conf',
      'AGENT_TOKEN=$(muster agent register web-01 --quiet)',
    ],
  });
  addAgentFlags(addOutputFlags(addProjectFlag(command), 'Print only the token.'))
    .option('--machine <id>', 'Machine id of its host. Default: the name.')
    .addOption(
      new Option('--snippet <program>', 'Print its configuration.')
        .choices(snippetNames)
        .conflicts(['json', 'quiet']),
    )
    .action(async (name: string, flags: RegisterFlags) => {
      const { machine = name, snippet } = flags;
      const body = { name, machineID: machine, ...(await describedBy(flags, terminal)) };
      const context = await openContext(terminal, flags);
      const registered = await register(context, body, flags.project);
      if (snippet === undefined) print(context, registered);
      else printSnippet(context, { ...registered, machineID: machine }, snippet);
    });
}

function print({ printer }: CommandContext, registered: RegisteredAgent): void {
  const { id, token, name } = registered;
  printer.summary(registered, token, [
    ['id', id],
    ['name', name],
    ['token', token],
  ]);
  printer.shownOnce('token');
  if (printer.isForScript) return;
  printer.note(`Its configuration: --snippet prints one for ${snippetNames.join(', ')}.`);
}

function printSnippet(
  { printer, connection }: CommandContext,
  { id, token, name, machineID }: RegisteredAgent & { readonly machineID: string },
  program: SnippetName,
): void {
  printer.raw(snippets[program]({ url: new URL(connection.url), agentID: printable(id), name, machineID }));
  // The Collector is run by `muster report`, which registers with a token of the project.
  if (program === 'otelcol') return;
  printer.note('Put the token into the environment of the agent:');
  printer.note(`  MUSTER_AGENT_TOKEN=${token}`);
  printer.shownOnce('token');
}

/** Only a project token can register. For a user, a temporary one is created with only that permission, and revoked at once. */
async function register(
  { connection, terminal }: CommandContext,
  body: RegisterAgent,
  projectFlag: string | undefined,
): Promise<RegisteredAgent> {
  const { createToken, registerAgent, revokeToken } = await import('@muster/client');
  const { client, kind, url } = connection;
  if (kind !== 'access') return registerAgent(client, { body });
  const projectID = await chooseProjectID(connection, projectFlag);
  const expiresAt = new Date(terminal.now() + passMilliseconds).toISOString();
  const pass = await createToken(client, {
    projectID,
    body: {
      name: `muster agent register ${body.name}`.slice(0, 100),
      permissions: ['create:agent'],
      expiresAt,
    },
  });
  try {
    const registrar: Client = await createConnectedClient(terminal, url, pass.token);
    return await registerAgent(registrar, { body });
  } finally {
    await revokeToken(client, { tokenID: pass.id });
  }
}

/** Long enough for clocks that differ. If the token cannot be revoked, it expires. */
const passMilliseconds = 3_600_000;
