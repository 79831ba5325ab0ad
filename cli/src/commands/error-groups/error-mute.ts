import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  openContext,
  readCount,
  repeatedFlags,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { findGroupID } from '../../connection/find-agent-errors.ts';
import { readLength, readTime } from '../../expiry.ts';
import { shortID } from '../../output/short-id.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { describeMuteEnds, groupView } from './group-view.ts';

interface MuteFlags extends ClientFlags {
  readonly reason: string;
  /** Milliseconds. */
  readonly for?: number;
  /** A timestamp. */
  readonly until?: string;
  readonly untilNextConfig?: true;
  readonly moreAgents?: number;
}

/** `muster error mute` */
export function addErrorMuteCommand(error: Command, terminal: Terminal): void {
  const command = addClientCommand(error, 'mute <group>', {
    summary: 'Store further errors of a group as dismissed, until a time.',
    description:
      'Until then, new errors of the group are stored as dismissed, with that reason. Open errors stay open. A group that is muted already gets the new time and reason. The end has to be in the future. With --until-next-config or --more-agents, the mute ends with what comes first, and after 90 days at the latest.',
    examples: [
      "muster error mute 3f1e8a6b --for 12h --reason 'Known until the next release'",
      "muster error mute 3f1e8a6b --until-next-config --reason 'Rolled back today'",
      "muster error mute 3f1e8a6b --until 2027-03-31 --reason 'Maintenance of the cluster'",
    ],
  });
  addOutputFlags(addProjectFlag(command))
    .requiredOption('--reason <text>', 'The reason, in 1 to 100 characters.')
    .addOption(
      new Option('--for <duration>', 'How long: 30min, 12h, 7d, 2w.')
        .argParser(readLength)
        .conflicts('until'),
    )
    .option('--until <time>', 'Until then: a day, or a time with its zone.', readTime)
    .option('--until-next-config', 'Until an agent that got another configuration still has the error.')
    .option(
      '--more-agents <number>',
      'Until this many agents have the error that had it not before.',
      readCount,
    )
    .action(async (group: string, flags: MuteFlags) => {
      const until = endOf(flags, terminal.now());
      const { connection, printer } = await openContext(terminal, flags);
      const { muteAgentErrorGroup } = await import('@muster/client');
      const agentErrorGroupID = await findGroupID(connection, group, flags.project);
      const { reason, untilNextConfig: endsWithConfiguration, moreAgents } = flags;
      const body = {
        until,
        reason,
        ...(endsWithConfiguration && { endsWithConfiguration }),
        ...(moreAgents !== undefined && { moreAgents }),
      };
      const muted = await muteAgentErrorGroup(connection.client, { agentErrorGroupID, body });
      if (printer.isForScript) return printer.one(muted, groupView);
      printer.note(`Muted until ${muted.mutedUntil ?? until}${describeMuteEnds(muted)}: ${muted.pattern}`);
      const open = muted.errorsByState.current + muted.errorsByState.superseded;
      if (open === 0) return;
      const repeated = repeatedFlags(flags);
      printer.note(
        `Its open errors stay open. To dismiss them, run: muster error dismiss --group ${shortID(muted.id)} --reason TEXT${repeated}`,
      );
    });
}

/** Every mute ends, also if nothing happens. */
const longestMilliseconds = 90 * 86_400_000;

/** @throws CommandError without a time and a condition */
function endOf({ for: length, until, untilNextConfig, moreAgents }: MuteFlags, now: number): string {
  if (until !== undefined) return until;
  const hasCondition = untilNextConfig === true || moreAgents !== undefined;
  if (length !== undefined || hasCondition)
    return new Date(now + (length ?? longestMilliseconds)).toISOString();
  throw new CommandError(
    'usage',
    'The end of the mute is missing.',
    'Add --for DURATION, --until TIME, --until-next-config or --more-agents NUMBER.',
  );
}

/** `muster error unmute` */
export function addErrorUnmuteCommand(error: Command, terminal: Terminal): void {
  const command = addClientCommand(error, 'unmute <group>', {
    summary: 'Store further errors of a group as open again.',
    description:
      'New errors of the group are stored as open again. A group that is not muted stays as it is. What was stored as dismissed meanwhile stays dismissed.',
    examples: ['muster error unmute 3f1e8a6b'],
  });
  addOutputFlags(addProjectFlag(command)).action(async (group: string, flags: ClientFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { unmuteAgentErrorGroup } = await import('@muster/client');
    const agentErrorGroupID = await findGroupID(connection, group, flags.project);
    const unmuted = await unmuteAgentErrorGroup(connection.client, { agentErrorGroupID });
    if (printer.isForScript) printer.one(unmuted, groupView);
    else printer.note(`Not muted: ${unmuted.pattern}`);
  });
}
