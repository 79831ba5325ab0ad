import { countOf } from '@muster/contract';
import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addJsonFlag,
  addProjectFlag,
  addYesFlag,
  type ClientFlags,
  type CommandContext,
  openContext,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { chooseProjectID, findAgentID, findFleetOfAgents } from '../../connection/find-resources.ts';
import { unlessRefused } from '../../connection/unless-refused.ts';
import { readSince, toTime } from '../../since.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { agentStatuses } from './agent-statuses.ts';

interface DeleteFlags extends ClientFlags {
  readonly status?: (typeof agentStatuses)[number];
  readonly notSeenSince?: string;
  readonly name?: string;
  readonly tag?: string;
  readonly fleet?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** `muster agent delete`: one agent, or all that match. */
export function addAgentDeleteCommand(agent: Command, terminal: Terminal): void {
  const command = addClientCommand(agent, 'delete [name|id]', {
    summary: 'Delete an agent, or many at once, with their tokens, errors and configurations.',
    description:
      'Deletes an agent with its tokens, errors and configurations, or, with flags instead of a name, all agents that match all of the flags. It says how many these are before it asks. If the machine of an agent registers again, that is a new agent.',
    examples: [
      'muster agent delete web-01',
      'muster agent delete --status offline --not-seen-since 30d --dry-run',
      "muster agent delete --name 'ci-*' --not-seen-since 1d --yes",
    ],
  });
  addYesFlag(addJsonFlag(addProjectFlag(command)))
    .addOption(new Option('--status <status>', 'All in this state.').choices(agentStatuses))
    .option(
      '--not-seen-since <when>',
      'All that were not heard since: a duration (12h, 30d) or a time.',
      readSince,
    )
    .option('--name <pattern>', 'All with this name; * matches any run of characters.')
    .option('--tag <tag>', 'All with this tag.')
    .option('--fleet <name|id>', 'All of this fleet.')
    .option('--dry-run', 'Only say how many agents match.')
    .action(async (nameOrID: string | undefined, flags: DeleteFlags) => {
      const filter = toFilter(flags, terminal.now());
      const hasFilter = Object.keys(filter).length > 0;
      if (hasFilter === (nameOrID !== undefined)) {
        throw new CommandError(
          'usage',
          hasFilter
            ? 'An agent is named, and flags select agents too.'
            : 'Nothing says which agents to delete.',
          'Name one agent, or give at least one of --status, --not-seen-since, --name, --tag, --fleet.',
        );
      }
      const context = await openContext(terminal, flags);
      if (nameOrID === undefined) await deleteMatching(context, flags, filter);
      else await deleteOne(context, flags, nameOrID);
    });
}

function toFilter({ status, notSeenSince, name, tag, fleet }: DeleteFlags, now: number) {
  return {
    ...(status === undefined ? {} : { status }),
    ...(notSeenSince === undefined ? {} : { not_seen_since: toTime(notSeenSince, now) }),
    ...(name === undefined ? {} : { name }),
    ...(tag === undefined ? {} : { tag }),
    ...(fleet === undefined ? {} : { fleet_id: fleet }),
  };
}

async function deleteMatching(
  { connection, printer, terminal }: CommandContext,
  flags: DeleteFlags,
  filter: ReturnType<typeof toFilter>,
): Promise<void> {
  const { deleteAgents } = await import('@muster/client');
  const { client } = connection;
  const { fleet, project } = flags;
  const query = {
    projectID: await chooseProjectID(connection, project),
    ...filter,
    ...(fleet === undefined ? {} : { fleet_id: await findFleetOfAgents(connection, fleet, project) }),
  };
  const preview = await deleteAgents(client, { ...query, dry_run: true });
  if (flags.dryRun === true || preview.agentsCount === 0) {
    const none = 'No agent matches.';
    if (flags.json === true) printer.json(preview);
    else
      printer.note(
        preview.agentsCount === 0 ? none : `${countOf(preview.agentsCount, 'agent')} would be deleted.`,
      );
    return;
  }
  const question = `Delete ${countOf(preview.agentsCount, 'agent')} with their errors and configurations?`;
  await confirm(terminal, question, flags.yes);
  // Not bounded by the usual time limit: each agent takes about a millisecond, and its errors more.
  const deleted = await deleteAgents(
    client,
    { ...query, ...(flags.yes === true ? {} : { max_agents: preview.agentsCount }) },
    { timeoutMilliseconds: deletionMilliseconds },
  );
  if (flags.json === true) printer.json(deleted);
  else printer.note(`Deleted ${countOf(deleted.agentsCount, 'agent')}.`);
}

const deletionMilliseconds = 3_600_000;

async function deleteOne(
  { connection, printer, terminal }: CommandContext,
  flags: DeleteFlags,
  nameOrID: string,
): Promise<void> {
  const { deleteAgent, getAgent } = await import('@muster/client');
  const agentID = await findAgentID(connection, nameOrID, flags.project);
  const { name } = (await unlessRefused(getAgent(connection.client, { agentID }))) ?? { name: nameOrID };
  if (flags.dryRun === true) {
    printer.note(`The agent '${name}' would be deleted.`);
    return;
  }
  await confirm(terminal, `Delete the agent '${name}' with its errors and configurations?`, flags.yes);
  await deleteAgent(connection.client, { agentID });
  printer.note(`Deleted the agent '${name}'.`);
}
