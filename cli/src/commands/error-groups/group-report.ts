import type { AgentErrorGroup } from '@muster/client';
import { type ClientFlags, type CommandContext, repeatedFlags } from '../../client-command.ts';
import { numberOf } from '../../output/count-of.ts';
import { formatExplanation } from '../../output/explanation-text.ts';
import type { View } from '../../output/printer.ts';
import { shortID } from '../../output/short-id.ts';
import { sparkline } from '../../output/sparkline.ts';
import { createTones } from '../../output/tones.ts';
import { quoteForShell } from '../../quote-for-shell.ts';
import { widthOf } from '../../terminal/terminal.ts';
import { findOrigin, type Origin } from './find-origin.ts';
import { groupAgentView, groupView } from './group-view.ts';

/** Agents of a group that are shown. */
const maxAgents = 10;

/** Prints a group with its history, what is known about its cause, and its agents. */
export async function printGroup(
  context: CommandContext,
  group: AgentErrorGroup,
  flags: ClientFlags,
): Promise<void> {
  const { connection, printer, terminal } = context;
  if (printer.isForScript) return printer.one(group, groupView);
  const { listAgentErrorGroupAgents } = await import('@muster/client');
  const query = { agentErrorGroupID: group.id, last: maxAgents };
  const [history, origin, agents] = await Promise.all([
    describeHistory(context, group),
    findOrigin(connection, group, flags.project),
    listAgentErrorGroupAgents(connection.client, query).first(),
  ]);
  const view: View<AgentErrorGroup> = {
    ...groupView,
    details: (one, format) => [
      ...groupView.details(one, format),
      ['first config', describeOrigin(one, origin)],
      ['history', history],
    ],
  };
  printer.one(group, view);
  if (group.explanation !== null) {
    const { strong } = createTones(terminal);
    printer.raw(`\n${formatExplanation(group.explanation, widthOf(terminal.stdout), strong)}`);
  }
  if (agents.items.length > 0) printer.raw('\n');
  await printer.list(onePortion(agents.items), groupAgentView);
  for (const line of describeNext(group, origin, agents.items.length, repeatedFlags(flags)))
    printer.note(line);
}

async function* onePortion<Item>(items: readonly Item[]) {
  yield { items, hasMore: false };
}

function describeOrigin({ firstConfigID }: AgentErrorGroup, origin: Origin | undefined): string | undefined {
  if (firstConfigID === null) return undefined;
  return origin === undefined ? firstConfigID : `${firstConfigID} of ${origin.agentName}`;
}

const hour = 3_600_000;
const day = 24 * hour;

const maxBars = 30;

/** A history by minute has twice as many buckets as fit beside the text. */
const histories = {
  minute: { together: 2, period: 'last hour', unit: 'in 2 min' },
  hour: { together: 1, period: 'last 24 h', unit: 'an hour' },
  day: { together: 1, period: 'last 30 d', unit: 'a day' },
} as const;

/** Bars of the errors that were created since about the first one; undefined if that was too long ago. */
async function describeHistory(
  { connection: { client }, terminal }: CommandContext,
  { id, firstSeenAt }: AgentErrorGroup,
): Promise<string | undefined> {
  const { getAgentErrorGroupHistory } = await import('@muster/client');
  const age = terminal.now() - Date.parse(firstSeenAt);
  const bucket = age < hour ? 'minute' : age < day ? 'hour' : 'day';
  const { together, period, unit } = histories[bucket];
  const { buckets } = await getAgentErrorGroupHistory(client, { agentErrorGroupID: id, bucket });
  const shown = buckets.slice(-maxBars * together);
  const counts = Array.from({ length: Math.ceil(shown.length / together) }, (_, index) =>
    shown
      .slice(index * together, (index + 1) * together)
      .reduce((total, { errorsCount }) => total + errorsCount, 0),
  );
  const largest = Math.max(...counts);
  return largest === 0 ? undefined : `|${sparkline(counts)}| ${period}, up to ${numberOf(largest)} ${unit}`;
}

/** What the user may want to do next, each as a command that works when copied. */
function* describeNext(
  { id, agentsCount, errorsByState }: AgentErrorGroup,
  origin: Origin | undefined,
  shown: number,
  repeated: string,
): Generator<string> {
  const group = shortID(id);
  if (shown < agentsCount) {
    yield `These are ${shown} of ${numberOf(agentsCount)} agents. For all errors: muster error list --group ${group} --all${repeated}`;
  }
  if (origin !== undefined) {
    yield `For what its first configuration changed: muster agent diff ${quoteForShell(origin.agentName)} --to ${shortID(origin.configID)}${repeated}`;
  }
  if (errorsByState.current + errorsByState.superseded > 0) {
    yield `To dismiss its errors: muster error dismiss --group ${group} --reason TEXT${repeated}`;
  }
}
