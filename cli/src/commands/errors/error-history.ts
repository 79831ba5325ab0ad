import type { ProjectHistory } from '@muster/client';
import { type HistoryBucket, historyBuckets, numberOf, quoteForShell } from '@muster/contract';
import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addJsonFlag,
  addProjectFlag,
  type ClientFlags,
  type CommandContext,
  openContext,
  repeatedFlags,
} from '../../client-command.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import type { View } from '../../output/printer.ts';
import { shortID } from '../../output/short-id.ts';
import { horizontalBar } from '../../output/sparkline.ts';
import { readSince, toTime } from '../../since.ts';
import type { Terminal } from '../../terminal/terminal.ts';

interface HistoryFlags extends ClientFlags {
  readonly bucket: HistoryBucket;
  readonly since?: string;
  readonly until?: string;
}

/** `muster error history`: new errors over time, beside the configurations that agents got. */
export function addErrorHistoryCommand(error: Command, terminal: Terminal): void {
  const command = addClientCommand(error, 'history', {
    summary: 'Show new errors over time, and the configurations that agents got meanwhile.',
    description:
      'Shows for each minute, hour or day, oldest first, how many errors were created, how many causes were new, and how often an agent got another configuration. Below it are the configurations that agents got in this time, those of the most agents first. Repeats of an error are not counted. Hours and days are in UTC.',
    examples: [
      'muster error history',
      'muster error history --bucket minute --since 30min',
      'muster error history --bucket day --since 2026-03-01 --until 2026-04-01',
      `muster error history --json | jq '[.buckets[].errorsCount] | add'`,
    ],
  });
  addJsonFlag(addProjectFlag(command))
    .addOption(
      new Option('--bucket <length>', 'The length of time that is counted together.')
        .choices(historyBuckets)
        .default('hour'),
    )
    .option(
      '--since <when>',
      'Since then: a duration (2h, 7d) or a time. Default: 1h by minute, 24h by hour, 30d by day.',
      readSince,
    )
    .option('--until <when>', 'Before then. Default: now.', readSince)
    .action(async (flags: HistoryFlags) => {
      const context = await openContext(terminal, flags);
      const { client } = context.connection;
      const { getProjectHistory } = await import('@muster/client');
      const projectID = await chooseProjectID(context.connection, flags.project);
      const history = await getProjectHistory(client, { projectID, ...toQuery(flags, terminal.now()) });
      if (flags.json === true) context.printer.json(history);
      else await printHistory(context, history, repeatedFlags(flags));
    });
}

function toQuery({ bucket, since, until }: HistoryFlags, now: number) {
  return {
    bucket,
    ...(since === undefined ? {} : { since: toTime(since, now) }),
    ...(until === undefined ? {} : { until: toTime(until, now) }),
  };
}

async function printHistory(
  { printer, terminal }: CommandContext,
  { buckets, configurations, configurationsCount }: ProjectHistory,
  repeated: string,
): Promise<void> {
  const isQuiet = buckets.every(
    ({ errorsCount, newGroupsCount, configChangesCount }) =>
      errorsCount + newGroupsCount + configChangesCount === 0,
  );
  if (isQuiet && configurations.length === 0)
    return printer.note('No errors were created in this time, and no agent got another configuration.');
  await printer.all(buckets, bucketView(buckets, terminal.stdout.isTTY === true));
  const [first] = configurations;
  if (first === undefined) return;
  printer.raw('\n');
  await printer.all(configurations, configurationView);
  if (configurations.length < configurationsCount) {
    printer.note(
      `These are the ${configurations.length} configurations that the most agents got, of ${numberOf(configurationsCount)}.`,
    );
  }
  printer.note(
    `To see what the first of them changed, run: muster agent diff ${quoteForShell(first.agentName)} --to ${shortID(first.configID)}${repeated}`,
  );
}

type Bucket = ProjectHistory['buckets'][number];

const barWidth = 20;

/** @param hasBars bars are for people: elsewhere they would be in the way of programs that read columns */
function bucketView(buckets: readonly Bucket[], hasBars: boolean): View<Bucket> {
  const largest = Math.max(...buckets.map(({ errorsCount }) => errorsCount));
  const bar: View<Bucket>['columns'][number] = {
    title: '',
    leaveOut: 3,
    cell: ({ errorsCount }) => horizontalBar(errorsCount, largest, barWidth),
  };
  return {
    id: ({ startsAt }) => startsAt,
    columns: [
      { title: 'STARTS', cell: ({ startsAt }, { time }) => time(startsAt) },
      { title: 'NEW ERRORS', isRightAligned: true, cell: ({ errorsCount }) => numberOf(errorsCount) },
      ...(hasBars ? [bar] : []),
      {
        title: 'NEW CAUSES',
        isRightAligned: true,
        leaveOut: 2,
        cell: ({ newGroupsCount }) => numberOf(newGroupsCount),
      },
      {
        title: 'CONFIG CHANGES',
        isRightAligned: true,
        leaveOut: 1,
        cell: ({ configChangesCount }) => numberOf(configChangesCount),
      },
    ],
    details: ({ startsAt, errorsCount }) => [[startsAt, numberOf(errorsCount)]],
  };
}

const configurationView: View<ProjectHistory['configurations'][number]> = {
  id: ({ configID }) => configID,
  columns: [
    { title: 'CONFIG', cell: ({ configID }, { id }) => id(configID) },
    { title: 'AGENTS', isRightAligned: true, cell: ({ agentsCount }) => numberOf(agentsCount) },
    { title: 'FIRST', cell: ({ firstChangedAt }, { time }) => time(firstChangedAt) },
    { title: 'LAST', leaveOut: 1, cell: ({ lastChangedAt }, { time }) => time(lastChangedAt) },
    { title: 'FIRST AGENT', isFlexible: true, cell: ({ agentName }) => agentName },
  ],
  details: ({ configID, agentsCount }) => [
    ['config', configID],
    ['agents', numberOf(agentsCount)],
  ],
};
