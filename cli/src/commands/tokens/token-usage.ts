import type { TokenUsage } from '@muster/client';
import { quoteForShell } from '@muster/contract';
import type { Command } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { findTokenID } from '../../connection/find-resources.ts';
import { countOf } from '../../output/count-of.ts';
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
    ['last used', time(usage.lastUsedAt)],
    ...usage.requestsByDay
      .slice(0, 7)
      .map(({ day, requests }): [string, string] => [day, countOf(requests, 'request')]),
    ...describeOrigins(usage, time),
    ...usage.earlierValues.flatMap((value): [string, string][] => [
      ['earlier value', describeEarlierValue(value, time)],
      ...describeOrigins(value, time).map(([name, origin]): [string, string] => [`  ${name}`, origin]),
    ]),
    ['agents', describeAgents(usage)],
    ...usage.agents.map((agent): [string, string] => [
      'agent',
      `${agent.name}, ${describeOutcome(agent)}, last seen ${time(agent.lastSeenAt)}`,
    ]),
  ],
};

type Time = (timestamp: string | null) => string;

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

/** What becomes of an agent if the token is revoked. */
function describeOutcome({ reports, hasOwnToken }: TokenUsage['agents'][number]): string {
  if (!reports) return 'has a token of its own';
  return hasOwnToken
    ? 'has a token of its own; only reports by machine id stop if this token is revoked'
    : 'stops reporting if this token is revoked';
}

function describeAgents({ agentsCount, agents }: TokenUsage): string {
  return agentsCount > agents.length
    ? `${agentsCount}, of which the newest ${agents.length} are shown`
    : String(agentsCount);
}
