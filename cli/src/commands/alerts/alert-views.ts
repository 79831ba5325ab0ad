import type { AlertChannel, AlertDelivery, AlertRule } from '@muster/client';
import { countOf } from '@muster/contract';
import type { View } from '../../output/printer.ts';
import type { Tone } from '../../output/tones.ts';

const channelTones: Readonly<Record<AlertChannel['status'], Tone>> = {
  active: 'good',
  failing: 'bad',
  disabled: 'faint',
};

export const alertChannelView: View<AlertChannel> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'NAME', isFlexible: true, cell: ({ name }) => name },
    { title: 'KIND', cell: ({ kind }) => kind },
    { title: 'TARGET', isFlexible: true, leaveOut: 2, cell: ({ target }) => target },
    { title: 'STATUS', cell: ({ status }) => status, tone: ({ status }) => channelTones[status] },
    { title: 'LAST MESSAGE', leaveOut: 1, cell: ({ lastDeliveredAt }, { time }) => time(lastDeliveredAt) },
  ],
  details: (channel, { time }) => [
    ['id', channel.id],
    ['name', channel.name],
    ['kind', channel.kind],
    ['target', channel.target],
    ['status', channel.status, channelTones[channel.status]],
    ['disabled because', channel.disabledReason ?? undefined],
    ['failing since', channel.failingSince === null ? undefined : time(channel.failingSince)],
    ['last failure', channel.lastFailure ?? undefined],
    ['last message', time(channel.lastDeliveredAt)],
    ['quiet hours', describeQuietHours(channel.quietHours)],
    ['created', time(channel.createdAt)],
  ],
};

/** With the names of channels by their ids; one that is not among them is shown by its id. */
export const alertRuleView = (names: ReadonlyMap<string, string> = new Map()): View<AlertRule> => ({
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'NAME', isFlexible: true, cell: ({ name }) => name },
    { title: 'KIND', cell: ({ kind }) => kind },
    { title: 'CONDITION', isFlexible: true, leaveOut: 2, cell: describeCondition },
    { title: 'CHANNELS', leaveOut: 3, cell: ({ channelIDs }) => String(channelIDs?.length ?? 'all') },
    {
      title: 'STATE',
      leaveOut: 1,
      cell: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
      tone: ({ enabled }) => (enabled ? 'good' : 'faint'),
    },
  ],
  details: (rule, { time }) => [
    ['id', rule.id],
    ['name', rule.name],
    ['kind', rule.kind],
    ['condition', describeCondition(rule) || undefined],
    [
      'channels',
      rule.channelIDs === null
        ? 'all'
        : rule.channelIDs.map((id) => names.get(id) ?? id).join(', ') || 'none',
    ],
    ['cool-down', describeSeconds(rule.cooldownSeconds)],
    ['state', rule.enabled ? 'enabled' : 'disabled', rule.enabled ? 'good' : 'faint'],
    ['created', time(rule.createdAt)],
  ],
});

const deliveryTones: Readonly<Record<AlertDelivery['state'], Tone>> = {
  waiting: 'warning',
  delivered: 'good',
  failed: 'bad',
};

/** With the names of channels by their ids; one that is not among them is shown by its id. */
export const alertDeliveryView = (names: ReadonlyMap<string, string> = new Map()): View<AlertDelivery> => ({
  id: ({ id }) => id,
  columns: [
    { title: 'CREATED', cell: ({ createdAt }, { time }) => time(createdAt) },
    {
      title: 'CHANNEL',
      leaveOut: 1,
      cell: ({ channelID }, format) => names.get(channelID) ?? format.id(channelID),
    },
    { title: 'KIND', leaveOut: 3, cell: ({ kind }) => kind },
    { title: 'STATE', cell: ({ state }) => state, tone: ({ state }) => deliveryTones[state] },
    { title: 'ATTEMPTS', isRightAligned: true, leaveOut: 2, cell: ({ attempts }) => String(attempts) },
    { title: 'TITLE', isFlexible: true, cell: ({ title }) => title },
    { title: 'FAILURE', isFlexible: true, isOptional: true, cell: ({ failure }) => failure ?? '' },
  ],
  details: (delivery, { time }) => [
    ['id', delivery.id],
    ['title', delivery.title],
    ['state', delivery.state, deliveryTones[delivery.state]],
    ['failure', delivery.failure ?? undefined],
    ['status', delivery.answerStatus === null ? undefined : String(delivery.answerStatus)],
    ['answer', delivery.answer ?? undefined],
    ['took', delivery.milliseconds === null ? undefined : `${delivery.milliseconds} ms`],
    ['attempts', String(delivery.attempts)],
    ['next attempt', delivery.nextAttemptAt === null ? undefined : time(delivery.nextAttemptAt)],
    ['created', time(delivery.createdAt)],
  ],
});

function describeQuietHours(hours: AlertChannel['quietHours']): string | undefined {
  return hours === null ? undefined : `${hours.from}-${hours.until} ${hours.timeZone}`;
}

/** `10 agents or 5% of the agents within 1 h`; empty for a rule without conditions. */
function describeCondition({ agents, share, windowSeconds, days }: AlertRule): string {
  const counts = [
    ...(agents === null ? [] : [countOf(agents, 'agent')]),
    ...(share === null ? [] : [`${exactPercent(share)} of the agents`]),
  ].join(' or ');
  const window = windowSeconds === null ? '' : ` within ${describeSeconds(windowSeconds)}`;
  const before = days === null ? '' : `${countOf(days, 'day')} before`;
  return `${counts}${window}${before}`;
}

/** Not rounded to whole percent, because it is a limit. */
function exactPercent(share: number): string {
  return `${Number((share * 100).toFixed(6))}%`;
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

function describeSeconds(seconds: number): string {
  if (seconds === 0) return 'none';
  for (const [unit, length] of units) {
    if (seconds % length === 0) return `${seconds / length} ${unit}`;
  }
  return `${seconds} s`;
}
