import type { AgentErrorGroup } from '@muster/client';
import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addListFlags,
  addProjectFlag,
  type ClientFlags,
  openContext,
  repeatedFlags,
} from '../../client-command.ts';
import { chooseProjectID, findCoreInstanceID, findFleetOfAgents } from '../../connection/find-resources.ts';
import { printList } from '../../output/print-list.ts';
import { describeLength } from '../../output/relative-time.ts';
import { type LastFlags, pageSizeFor } from '../../output/take-last.ts';
import { readSince, toTime } from '../../since.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { groupView } from './group-view.ts';

const statuses = ['current', 'superseded', 'open', 'dismissed', 'muted'] as const;
type Status = (typeof statuses)[number];

const sorts = ['agents', 'times', 'last-seen', 'first-seen'] as const;
type Sort = (typeof sorts)[number];

/** In a storm, counts are up to three seconds old. */
const maxUsualAgeMilliseconds = 5_000;

interface GroupsFlags extends ClientFlags, LastFlags {
  readonly match?: string;
  readonly fleet?: string;
  readonly coreInstance?: string;
  readonly since?: string;
  readonly until?: string;
  readonly status: Status;
  readonly sort: Sort;
}

/** `muster error groups`: errors with the same cause as one line. */
export function addErrorGroupsCommand(error: Command, terminal: Terminal): void {
  const command = addClientCommand(error, 'groups', {
    summary: 'List the causes of open errors, the most widespread first.',
    description:
      "Lists groups: errors with the same cause, which differ only in numbers, ids, addresses and paths. SHARE is the part of the project's agents that have such an error, TIMES is how often it was reported, SINCE is when it was first seen. STATE says if it is muted, regressed (it came back after its errors had been dismissed), or new (24 hours).",
    examples: [
      'muster error groups',
      'muster error groups --fleet eu --since 1h',
      'muster error groups --sort last-seen --status dismissed',
      `muster error groups --json | jq -r '.[] | select(.isNew) | .pattern'`,
    ],
  }).alias('group');
  addListFlags(addProjectFlag(command))
    .addOption(
      new Option('--sort <order>', 'In this order, largest or newest first.')
        .choices(sorts)
        .default('agents'),
    )
    .addOption(
      new Option(
        '--status <status>',
        'With errors in this state: open ones of the current or of earlier (superseded) configurations, both (open), or dismissed; or muted causes, whatever the state of their errors.',
      )
        .choices(statuses)
        .default('current'),
    )
    .option('--match <text>', 'Only with this text in them; the case of ASCII letters is ignored.')
    .option('--fleet <name|id>', 'Only of agents of this fleet, and counted in it.')
    .option('--core-instance <name|id>', 'Only of agents behind this core instance, and counted there.')
    .option('--since <when>', 'Only seen since then: a duration (2h, 7d) or a time.', readSince)
    .option('--until <when>', 'First seen before then.', readSince)
    .action(async (flags: GroupsFlags) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { listAgentErrorGroups } = await import('@muster/client');
      const projectID = await chooseProjectID(connection, flags.project);
      const coreInstanceID =
        flags.coreInstance === undefined
          ? undefined
          : await findCoreInstanceID(connection, flags.coreInstance, projectID);
      const fleetID =
        flags.fleet === undefined
          ? undefined
          : await findFleetOfAgents(connection, flags.fleet, flags.project);
      const pages = listAgentErrorGroups(connection.client, {
        projectID,
        last: pageSizeFor(flags),
        ...toQuery(flags, terminal.now()),
        ...(fleetID === undefined ? {} : { fleet_id: fleetID }),
        ...(coreInstanceID === undefined ? {} : { core_instance_id: coreInstanceID }),
      }).pages();
      let countedAt = Number.POSITIVE_INFINITY;
      const count = await printList(printer, {
        pages: passOn(pages, (group) => {
          countedAt = Math.min(countedAt, Date.parse(group.countedAt));
        }),
        flags,
        view: groupView,
        things: 'groups',
        none: noneOf[flags.status],
        shown: 'first',
        filters: {
          '--match': flags.match,
          '--fleet': flags.fleet,
          '--core-instance': flags.coreInstance,
          '--since': flags.since,
          '--until': flags.until,
        },
      });
      const age = terminal.now() - countedAt;
      if (age > maxUsualAgeMilliseconds && !printer.isForScript) {
        printer.note(
          `Counts are ${describeLength(age)} old: Muster is still counting what was stored since then.`,
        );
      }
      if (count > 0 && terminal.stdout.isTTY === true && !printer.isForScript) {
        printer.note(`To see one of them, with what to do, run: muster error get ID${repeatedFlags(flags)}`);
      }
    });
}

async function* passOn<Page extends { readonly items: readonly AgentErrorGroup[] }>(
  pages: AsyncIterable<Page>,
  note: (group: AgentErrorGroup) => void,
): AsyncGenerator<Page> {
  for await (const page of pages) {
    page.items.forEach(note);
    yield page;
  }
}

/** The message for an empty list. */
const noneOf: Readonly<Record<Status, string>> = {
  current: 'No open errors. --status superseded lists those of earlier configurations.',
  superseded: 'No superseded errors.',
  open: 'No open errors.',
  dismissed: 'No dismissed errors.',
  muted: 'No cause is muted.',
};

const stateQueries = {
  current: {},
  superseded: { current: false },
  open: { dismissed: false },
  dismissed: { dismissed: true },
  muted: { muted: true },
} as const satisfies Record<Status, object>;

const sortQueries = {
  agents: 'agents',
  times: 'occurrences',
  'last-seen': 'lastSeen',
  'first-seen': 'firstSeen',
} as const satisfies Record<Sort, string>;

function toQuery({ match, since, until, status, sort }: GroupsFlags, now: number) {
  return {
    sort: sortQueries[sort],
    ...stateQueries[status],
    ...(match === undefined ? {} : { q: match }),
    ...(since === undefined ? {} : { since: toTime(since, now) }),
    ...(until === undefined ? {} : { until: toTime(until, now) }),
  };
}
