import type { UpdateAlertRule } from '@muster/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type ClientFlags, collect, readCount } from '../../client-command.ts';
import type { Connection } from '../../connection/connect.ts';
import { readSeconds } from '../../duration.ts';
import { findAlertChannelID } from './find-alert-resources.ts';

/** Flags that say when a rule applies. */
export interface ConditionFlags extends ClientFlags {
  readonly agents?: number | 'none';
  readonly share?: number | 'none';
  readonly window?: number;
  readonly days?: number;
  readonly cooldown?: number;
}

/** Flags that say when a rule applies, and who is told. */
export interface RuleFlags extends ConditionFlags {
  readonly name?: string;
  readonly channel?: readonly string[];
  readonly allChannels?: boolean;
}

export function addRuleFlags(command: Command): Command {
  return addConditionFlags(
    command
      .option('--name <name>', 'Its name. Default: one that fits the kind.')
      .option(
        '--channel <name|id>',
        'A channel that is told; may be repeated. Default: all channels.',
        collect,
      )
      .addOption(
        new Option('--all-channels', 'All channels of the project are told, also later ones.').conflicts(
          'channel',
        ),
      ),
  );
}

export function addConditionFlags(command: Command): Command {
  return command
    .option(
      '--agents <n>',
      'widespread_group, agents_offline: at least so many agents; none: no such limit.',
      orNone(readCount),
    )
    .option(
      '--share <percent>',
      'widespread_group, agents_offline: at least this share of all agents, such as 5%; none: no such limit.',
      orNone(readShare),
    )
    .option(
      '--window <time>',
      'widespread_group: the time in which the errors were created, at most 24h. Default: 1h.',
      readSeconds,
    )
    .option('--days <n>', 'token_expiring: how many days before the end. Default: 7.', readCount)
    .option(
      '--cooldown <time>',
      'After a message, how long no further one about the same is sent: 30min, 6h, 0s. Default: 1h.',
      readSeconds,
    );
}

/** The fields that the flags give. Looks up the channels that they name. @throws CommandError */
export async function toRuleFields(
  connection: Connection,
  projectFlag: string | undefined,
  flags: RuleFlags,
): Promise<UpdateAlertRule> {
  const { name, channel, allChannels } = flags;
  const channelIDs: string[] = [];
  for (const one of channel ?? []) channelIDs.push(await findAlertChannelID(connection, one, projectFlag));
  return {
    ...(name === undefined ? {} : { name }),
    ...toConditionFields(flags),
    ...(channel === undefined ? {} : { channelIDs }),
    ...(allChannels === true ? { channelIDs: null } : {}),
  };
}

export function toConditionFields({
  agents,
  share,
  window,
  days,
  cooldown,
}: ConditionFlags): UpdateAlertRule {
  return {
    ...(agents === undefined ? {} : { agents: agents === 'none' ? null : agents }),
    ...(share === undefined ? {} : { share: share === 'none' ? null : share }),
    ...(window === undefined ? {} : { windowSeconds: window }),
    ...(days === undefined ? {} : { days }),
    ...(cooldown === undefined ? {} : { cooldownSeconds: cooldown }),
  };
}

function orNone(read: (text: string) => number): (text: string) => number | 'none' {
  return (text) => (text === 'none' ? text : read(text));
}

/** @throws InvalidArgumentError */
function readShare(text: string): number {
  const [, percent] = /^(\d{1,3}(?:\.\d{1,4})?) ?%$/.exec(text) ?? [];
  const share = Number(percent) / 100;
  if (share > 0 && share <= 1) return share;
  throw new InvalidArgumentError('It takes a share of all agents in percent: 5%, 0.5%, 100%.');
}
