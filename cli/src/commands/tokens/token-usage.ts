import type { TokenUsage } from '@muster/client';
import { countOf, numberOf, quoteForShell } from '@muster/contract';
import type { Command } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { findTokenID } from '../../connection/find-resources.ts';
import type { View } from '../../output/printer.ts';
import { describeEarlierValue } from '../../output/views.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** `muster token usage`: who stops working if the token is revoked. */
export function addTokenUsage(token: Command, terminal: Terminal): void {
  const command = addClientCommand(token, 'usage <name|id>', {
    summary: 'Show who uses a token, and which agents stop if it is revoked.',
    examples: [
      'muster token usage ci',
      "muster token usage edge-agents --json | jq -r '.agents[] | select(.reports and (.hasOwnToken | not)) | .name'",
    ],
  });
  addOutputFlags(addProjectFlag(command)).action(async (nameOrID: string, flags: ClientFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { getTokenUsage } = await import('@muster/client');
    const tokenID = await findTokenID(connection, nameOrID, flags.project);
    printer.one(await getTokenUsage(connection.client, { tokenID }), { ...usageView, id: () => tokenID });
    if (!printer.isForScript) {
      printer.note(`To see what it changed, run: muster audit list --actor ${quoteForShell(nameOrID)}`);
    }
  });
}

const usageView: Omit<View<TokenUsage>, 'id'> = {
  columns: [],
  details: (usage, { time }) => [
    ['agents', describeAgents(usage)],
    ['last used', time(usage.lastUsedAt)],
    ...usage.requestsByDay
      .slice(0, 7)
      .map(({ day, requests }): [string, string] => [day, countOf(requests, 'request')]),
    ...describeOrigins(usage, time),
    ...usage.earlierValues.flatMap((value): [string, string][] => [
      ['earlier value', describeEarlierValue(value, time)],
      ...describeOrigins(value, time).map(([name, origin]): [string, string] => [`  ${name}`, origin]),
    ]),
    ...listAgents(usage, time),
  ],
};

type Time = (timestamp: string | null) => string;
type UsingAgent = TokenUsage['agents'][number];

function describeOrigins(
  { addresses, userAgents }: Pick<TokenUsage, 'addresses' | 'userAgents'>,
  time: Time,
): [string, string][] {
  return [
    ...addresses.map(({ address, lastUsedAt }): [string, string] => [
      'address',
      `${address}, ${time(lastUsedAt)}`,
    ]),
    ...userAgents.map(({ userAgent, lastUsedAt }): [string, string] => [
      'user agent',
      `${userAgent}, ${time(lastUsedAt)}`,
    ]),
  ];
}

/** How many agents stop without the token. */
function describeAgents({ agentsCount, stoppingAgentsCount }: TokenUsage): string {
  if (agentsCount === 0) return 'none registered with it or reports with it';
  const verb = agentsCount === 1 ? 'registered or reports' : 'registered or report';
  return `${countOf(agentsCount, 'agent')} ${verb} with it; if it is revoked, ${describeEnd(agentsCount, stoppingAgentsCount)}`;
}

function describeEnd(all: number, stopping: number): string {
  if (stopping === 0) return all === 1 ? 'it goes on' : 'all go on';
  if (stopping === all) return all === 1 ? 'it stops' : 'all stop';
  return `${numberOf(stopping)} of them ${stopping === 1 ? 'stops' : 'stop'}`;
}

/** Of each kind. More would push off the screen what stands above them; `--json` has all that the service lists. */
const maxAgents = 10;

/** Those that stop when the token ends, then some of the others. */
function listAgents({ agents, agentsCount, stoppingAgentsCount }: TokenUsage, time: Time) {
  const stops = ({ reports, hasOwnToken }: UsingAgent) => reports && !hasOwnToken;
  const kinds = [
    { name: 'stops', of: agents.filter(stops), all: stoppingAgentsCount },
    {
      name: 'goes on',
      of: agents.filter((agent) => !stops(agent)),
      all: agentsCount - stoppingAgentsCount,
    },
  ];
  return kinds.flatMap(({ name, of, all }) => {
    const shown = of.slice(0, maxAgents);
    const lines = shown.map((agent): [string, string] => [name, describeAgent(agent, time)]);
    const more = all - shown.length;
    // Without the permission to read agents, none is listed, and the sentence above says how many there are.
    return shown.length === 0 || more <= 0
      ? lines
      : [...lines, [name, `and ${numberOf(more)} more`] satisfies [string, string]];
  });
}

function describeAgent({ name, reports, hasOwnToken, lastSeenAt }: UsingAgent, time: Time): string {
  const seen = `${name}, last seen ${time(lastSeenAt)}`;
  if (!hasOwnToken) return seen;
  return reports
    ? `${seen}, has a token of its own; only its reports by machine id stop`
    : `${seen}, has a token of its own`;
}
