import type { AgentError } from '@muster/client';
import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addListFlags,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { AgentNames } from '../../connection/agent-names.ts';
import { findGroupID } from '../../connection/find-agent-errors.ts';
import { chooseProjectID, findAgentID, findFleetOfAgents } from '../../connection/find-resources.ts';
import { printList } from '../../output/print-list.ts';
import { type LastFlags, pageSizeFor } from '../../output/take-last.ts';
import { agentErrorView } from '../../output/views.ts';
import { readSince, toTime } from '../../since.ts';
import type { Terminal } from '../../terminal/terminal.ts';

interface FilterFlags {
  readonly agent?: string;
  readonly group?: string;
  readonly fleet?: string;
  readonly match?: string;
  readonly since?: string;
  readonly until?: string;
  readonly status: Status;
}

const statuses = ['current', 'superseded', 'open', 'dismissed', 'all'] as const;
type Status = (typeof statuses)[number];

/** `muster error list`: one line for each error. */
export function addErrorListCommand(error: Command, terminal: Terminal): void {
  const command = addClientCommand(error, 'list', {
    summary: 'List open errors of a project, a group or an agent, newest first.',
    description:
      "Lists errors of a project, a group or an agent, newest first: open ones of the configuration that their agent still has. --status asks for others. 'muster error groups' shows errors with the same cause as one line.",
    examples: [
      'muster error list',
      'muster error list --agent web-01 --status dismissed',
      'muster error list --group 3f1e8a6b --all --quiet',
      "muster error list --match 'HTTP status=401' --since 2h --status all",
      `muster error list --last 10000 --json | jq -r '.[].error' | sort | uniq -c | sort -rn`,
    ],
  });
  addListFlags(addProjectFlag(command))
    .addOption(
      new Option(
        '--status <status>',
        'In this state: open and of the current or of an earlier (superseded) configuration of its agent, both (open), dismissed, or all.',
      )
        .choices(statuses)
        .default('current'),
    )
    .option('--group <id>', 'Only of this group.')
    .option('--agent <name|id>', 'Only of this agent: its name, machine id or id.')
    .option('--fleet <name|id>', 'Only of agents of this fleet.')
    .option('--match <text>', 'Only with this text in them; the case of ASCII letters is ignored.')
    .option('--since <when>', 'Only created since then: a duration (2h, 7d) or a time.', readSince)
    .option('--until <when>', 'Created before then.', readSince)
    .action(async (flags: ClientFlags & LastFlags & FilterFlags) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { listProjectErrors } = await import('@muster/client');
      const projectID = await chooseProjectID(connection, flags.project);
      const agentID =
        flags.agent === undefined ? undefined : await findAgentID(connection, flags.agent, flags.project);
      const groupID =
        flags.group === undefined ? undefined : await findGroupID(connection, flags.group, flags.project);
      const fleetID =
        flags.fleet === undefined
          ? undefined
          : await findFleetOfAgents(connection, flags.fleet, flags.project);
      const pages = listProjectErrors(connection.client, {
        projectID,
        last: pageSizeFor(flags),
        ...toQuery(flags, terminal.now()),
        ...(agentID === undefined ? {} : { agent_id: agentID }),
        ...(fleetID === undefined ? {} : { fleet_id: fleetID }),
        ...(groupID === undefined ? {} : { group_id: groupID }),
      }).pages();
      const names = new AgentNames(connection, projectID);
      await printList(printer, {
        pages: printer.isForScript ? pages : withNames(pages, names),
        flags,
        view: agentErrorView({
          agentName: (id) => names.of(id),
          hasStatus: flags.status === 'all' || flags.status === 'open',
        }),
        things: thingsOf[flags.status],
        none: noneOf[flags.status],
        filters: {
          '--agent': flags.agent,
          '--group': flags.group,
          '--fleet': flags.fleet,
          '--match': flags.match,
          '--since': flags.since,
          '--until': flags.until,
        },
      });
    });
}

const stateQueries = {
  current: { dismissed: false, current: true },
  superseded: { dismissed: false, current: false },
  open: { dismissed: false },
  dismissed: { dismissed: true },
  all: {},
} as const satisfies Record<Status, object>;

const thingsOf: Readonly<Record<Status, string>> = {
  current: 'open errors of current configurations',
  superseded: 'superseded errors',
  open: 'open errors',
  dismissed: 'dismissed errors',
  all: 'errors',
};

/** The message for an empty list. */
const noneOf: Readonly<Record<Status, string>> = {
  current: 'No open errors of current configurations. --status all lists the others too.',
  superseded: 'No superseded errors.',
  open: 'No open errors. --status dismissed lists dismissed errors.',
  dismissed: 'No dismissed errors.',
  all: 'No errors, neither open nor dismissed.',
};

/** Looks up the names of the agents of a page before it is shown. */
async function* withNames<Page extends { readonly items: readonly AgentError[] }>(
  pages: AsyncIterable<Page>,
  names: AgentNames,
): AsyncGenerator<Page> {
  for await (const page of pages) {
    await names.learn(page.items.map(({ agentID }) => agentID));
    yield page;
  }
}

function toQuery({ match, since, until, status }: FilterFlags, now: number) {
  return {
    ...(match === undefined ? {} : { q: match }),
    ...(since === undefined ? {} : { since: toTime(since, now) }),
    ...(until === undefined ? {} : { until: toTime(until, now) }),
    ...stateQueries[status],
  };
}
