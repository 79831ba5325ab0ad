import type { AgentError } from '@muster/client';
import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addListFlags,
  addNoun,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../client-command.ts';
import { AgentNames } from '../connection/agent-names.ts';
import { chooseProjectID, findAgentID } from '../connection/find-resources.ts';
import { printList } from '../output/print-list.ts';
import { type LastFlags, pageSizeFor } from '../output/take-last.ts';
import { agentErrorView } from '../output/views.ts';
import { readSince, toTime } from '../since.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addErrorCreateCommand } from './error-create.ts';
import { addErrorDismissCommand, addErrorReopenCommand } from './error-dismiss.ts';
import { addErrorExplainCommand } from './error-explain.ts';
import { addErrorWatchCommand } from './error-watch.ts';

interface FilterFlags {
  readonly agent?: string;
  readonly fleet?: string;
  readonly match?: string;
  readonly since?: string;
  readonly until?: string;
  readonly status: Status;
}

const statuses = ['open', 'dismissed', 'all'] as const;
type Status = (typeof statuses)[number];

/** `muster error`: the errors that agents have reported. */
export function addErrorCommands(program: Command, terminal: Terminal): void {
  const error = addNoun(program, 'error', 'Agent errors: what agents have reported.');
  addList(error, terminal);
  addErrorWatchCommand(error, terminal);
  addErrorDismissCommand(error, terminal);
  addErrorReopenCommand(error, terminal);
  addErrorCreateCommand(error, terminal);
  addErrorExplainCommand(error, terminal);
}

function addList(error: Command, terminal: Terminal): void {
  const command = addClientCommand(error, 'list', {
    summary: 'List open errors of a project or of one agent, newest first.',
    description:
      'Lists open errors of a project or of one agent, newest first. --status dismissed lists dismissed errors, --status all lists both.',
    examples: [
      'muster error list',
      'muster error list --agent web-01 --status dismissed',
      "muster error list --match 'HTTP status=401' --since 2h --status all",
      `muster error list --last 10000 --json | jq -r '.[].error' | sort | uniq -c | sort -rn`,
    ],
  });
  addListFlags(addProjectFlag(command))
    .addOption(new Option('--status <status>', 'In this state.').choices(statuses).default('open'))
    .option('--agent <name|id>', 'Only of this agent: its name, machine id or id.')
    .option('--fleet <id>', 'Only of agents of this fleet.')
    .option('--match <text>', 'Only with this text in them; the case of ASCII letters is ignored.')
    .option('--since <when>', 'Only created since then: a duration (2h, 7d) or a time.', readSince)
    .option('--until <when>', 'Created before then.', readSince)
    .action(async (flags: ClientFlags & LastFlags & FilterFlags) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { listProjectErrors } = await import('@muster/client');
      const projectID = await chooseProjectID(connection, flags.project);
      const agentID =
        flags.agent === undefined ? undefined : await findAgentID(connection, flags.agent, flags.project);
      const pages = listProjectErrors(connection.client, {
        projectID,
        last: pageSizeFor(flags),
        ...toQuery(flags, terminal.now()),
        ...(agentID === undefined ? {} : { agent_id: agentID }),
      }).pages();
      const names = new AgentNames(connection, projectID);
      await printList(printer, {
        pages: printer.isForScript ? pages : withNames(pages, names),
        flags,
        view: agentErrorView({
          agentName: (id) => names.of(id),
          hasStatus: flags.status === 'all',
        }),
        things: flags.status === 'all' ? 'errors' : `${flags.status} errors`,
        none: noneOf[flags.status],
        filters: {
          '--agent': flags.agent,
          '--fleet': flags.fleet,
          '--match': flags.match,
          '--since': flags.since,
          '--until': flags.until,
        },
      });
    });
}

/** The message for an empty list. */
const noneOf: Readonly<Record<Status, string>> = {
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

function toQuery({ fleet, match, since, until, status }: FilterFlags, now: number) {
  return {
    ...(fleet === undefined ? {} : { fleet_id: fleet }),
    ...(match === undefined ? {} : { q: match }),
    ...(since === undefined ? {} : { since: toTime(since, now) }),
    ...(until === undefined ? {} : { until: toTime(until, now) }),
    ...(status === 'all' ? {} : { dismissed: status === 'dismissed' }),
  };
}
