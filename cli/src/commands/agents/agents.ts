import type { Agent, Client } from '@muster/client';
import { labelOf, parseDiff, runVersionOf } from '@muster/contract';
import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addListFlags,
  addNoun,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { findAgentID, findFleetOfAgents } from '../../connection/find-resources.ts';
import { unlessRefused } from '../../connection/unless-refused.ts';
import { printList } from '../../output/print-list.ts';
import { type LastFlags, pageSizeFor } from '../../output/take-last.ts';
import { agentConfigView, agentView, agentViewWith } from '../../output/views.ts';
import { addGetCommand, addListCommand, type ListFlags } from '../../read-commands.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addAgentDeleteCommand } from './agent-delete.ts';
import { addAgentDiffCommand } from './agent-diff.ts';
import { addAgentMoveCommand } from './agent-move.ts';
import { addAgentRegisterCommand } from './agent-register.ts';
import { agentStatuses } from './agent-statuses.ts';
import { addAgentUpdateCommand } from './agent-update.ts';

interface FilterFlags {
  readonly name?: string;
  readonly status?: (typeof agentStatuses)[number];
  readonly tag?: string;
  readonly fleet?: string;
}

/** `muster agent`: the processes that collect telemetry. */
export function addAgentCommands(program: Command, terminal: Terminal): void {
  const agent = addNoun(program, 'agent', 'Agents: the processes that collect telemetry, one on each host.');
  addList(agent, terminal);
  addGet(agent, terminal);
  addAgentRegisterCommand(agent, terminal);
  addAgentUpdateCommand(agent, terminal);
  addAgentMoveCommand(agent, terminal);
  addHistory(agent, terminal);
  addAgentDiffCommand(agent, terminal);
  addRelease(agent, terminal);
  addAgentDeleteCommand(agent, terminal);
}

function addList(agent: Command, terminal: Terminal): void {
  addListCommand<Agent, ListFlags & FilterFlags>(agent, terminal, {
    summary: 'List agents of a project, newest first.',
    examples: [
      'muster agent list --status offline',
      "muster agent list --name 'edge-*' --fleet eu",
      `muster agent list --all --json | jq -r '.[] | [.name, .version] | @tsv'`,
    ],
    view: agentView,
    things: 'agents',
    none: 'No agents. To register one, run: muster agent register NAME',
    addFlags: (command) =>
      command
        .option('--name <pattern>', 'Only with this name; * matches any run of characters.')
        .addOption(new Option('--status <status>', 'In this state.').choices(agentStatuses))
        .option('--tag <tag>', 'With this tag.')
        .option('--fleet <name|id>', 'Of this fleet.'),
    filters: ({ name, status, tag, fleet }) => ({
      '--name': name,
      '--status': status,
      '--tag': tag,
      '--fleet': fleet,
    }),
    list: async (connection, query, { fleet, project, ...flags }) =>
      (await import('@muster/client'))
        .listAgents(connection.client, {
          ...query,
          ...toQuery(flags),
          ...(fleet === undefined ? {} : { fleet_id: await findFleetOfAgents(connection, fleet, project) }),
        })
        .pages(),
  });
}

function toQuery({ name, status, tag }: FilterFlags) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    ...(tag === undefined ? {} : { tag }),
  };
}

function addGet(agent: Command, terminal: Terminal): void {
  addGetCommand(agent, terminal, {
    argument: '<name|id>',
    summary: 'Show an agent.',
    description: 'Shows an agent. It takes its name, machine id or id.',
    examples: ['muster agent get web-01', 'muster agent get web-01 --json | jq -r .rawConfig'],
    view: agentView,
    find: findAgentID,
    get: async (client, agentID) => (await import('@muster/client')).getAgent(client, { agentID }),
    viewOf: async (client, agent) => {
      const [siteName, configLabel] = await Promise.all([
        findSiteName(client, agent.coreInstanceID),
        findConfigLabel(client, agent),
      ]);
      return agentViewWith({ siteName, configLabel });
    },
  });
}

/** Undefined if it has none, if it is gone, or if the caller may not see it. */
async function findSiteName(client: Client, coreInstanceID: string | null): Promise<string | undefined> {
  if (coreInstanceID === null) return undefined;
  const { getCoreInstance } = await import('@muster/client');
  return (await unlessRefused(getCoreInstance(client, { coreInstanceID })))?.name;
}

/** What people call the configuration that it runs. Undefined if it is a version of its fleet, which says more. */
async function findConfigLabel(
  client: Client,
  { id: agentID, fleet, configID }: Agent,
): Promise<string | undefined> {
  if (configID === null || runVersionOf(fleet) !== undefined) return undefined;
  const { getAgentConfigDiff } = await import('@muster/client');
  const difference = await unlessRefused(getAgentConfigDiff(client, { agentID, to: configID }));
  return difference && labelOf(parseDiff(difference.diff));
}

function addHistory(agent: Command, terminal: Terminal): void {
  const command = addClientCommand(agent, 'history <name|id>', {
    summary: 'List the configurations that an agent has run, newest first.',
    examples: ['muster agent history web-01', 'muster agent history web-01 --json | jq -r .[0].rawConfig'],
  });
  addListFlags(addProjectFlag(command)).action(async (nameOrID: string, flags: ClientFlags & LastFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { listAgentConfigs } = await import('@muster/client');
    const agentID = await findAgentID(connection, nameOrID, flags.project);
    const pages = listAgentConfigs(connection.client, { agentID, last: pageSizeFor(flags) }).pages();
    const none = 'No configurations: the agent has not sent any.';
    await printList(printer, { pages, flags, view: agentConfigView, things: 'configurations', none });
  });
}

function addRelease(agent: Command, terminal: Terminal): void {
  const command = addClientCommand(agent, 'release <name|id>', {
    summary: "Let an agent's machine be registered once more without the agent's token.",
    description:
      'Needed on a server with MUSTER_REGISTRATION=once, when an agent has lost its token: the next registration of its machine is accepted. The tokens of the agent stay valid until the new one is used.',
    examples: ['muster agent release web-01'],
  });
  addProjectFlag(command).action(async (nameOrID: string, flags: ClientFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { releaseAgent } = await import('@muster/client');
    const agentID = await findAgentID(connection, nameOrID, flags.project);
    await releaseAgent(connection.client, { agentID });
    printer.note(`Released the machine of the agent '${nameOrID}': its next registration is accepted.`);
  });
}
