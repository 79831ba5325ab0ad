import type { AgentErrorGroup, AgentErrorGroupAgent } from '@muster/client';
import { countOf, numberOf } from '@muster/contract';
import { percentOf } from '../../output/percent-of.ts';
import type { View } from '../../output/printer.ts';
import type { Tone } from '../../output/tones.ts';

/** What says nothing about a cause at the beginning of a line of a log: its time and its level. */
export const logPrefix = /^(?:\[? ?(?:<time>|error|warn(?:ing)?|info|fatal|critical)\]?[ :]+)+/i;

/** Groups in a list. */
export const groupView: View<AgentErrorGroup> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'SHARE', isRightAligned: true, cell: ({ agentsShare }) => percentOf(agentsShare) },
    { title: 'AGENTS', isRightAligned: true, cell: ({ agentsCount }) => numberOf(agentsCount) },
    { title: 'ERRORS', isRightAligned: true, leaveOut: 4, cell: ({ errorsCount }) => numberOf(errorsCount) },
    { title: 'TIMES', isRightAligned: true, leaveOut: 2, cell: ({ occurrences }) => numberOf(occurrences) },
    { title: 'SINCE', leaveOut: 1, cell: ({ firstSeenAt }, { age }) => age(firstSeenAt) },
    { title: 'LAST SEEN', leaveOut: 3, cell: ({ lastSeenAt }, { time }) => time(lastSeenAt) },
    { title: 'STATE', isOptional: true, cell: (group) => marksOf(group)[0] ?? '', tone: toneOf },
    {
      title: 'CAUSE',
      isFlexible: true,
      minWidth: 28,
      maxLines: 2,
      cell: ({ pattern }, { withoutPrefix }) => withoutPrefix(pattern, logPrefix),
    },
  ],
  details: (group, { time }) => [
    ['cause', group.pattern, 'strong'],
    ['example', group.example === group.pattern ? undefined : group.example],
    ['id', group.id],
    ['state', marksOf(group).join(', ') || undefined, toneOf(group)],
    ['agents', `${numberOf(group.agentsCount)}, ${percentOf(group.agentsShare)} of the project's agents`],
    ['errors', describeErrors(group.errorsByState)],
    ['times', numberOf(group.occurrences)],
    ['since', time(group.firstSeenAt)],
    ['last seen', time(group.lastSeenAt)],
    ['regressed', group.regressedAt === null ? undefined : time(group.regressedAt)],
    ['all dismissed', group.dismissedAt === null ? undefined : time(group.dismissedAt)],
    ['muted', describeMute(group, time)],
    ['assigned to', group.assignee === null ? undefined : (group.assignee.name ?? 'a removed user')],
    ['note', group.note ?? undefined],
    ['link', group.link ?? undefined],
  ],
};

/** The agents of a group. */
export const groupAgentView = (nameOfFleet: (id: string) => string): View<AgentErrorGroupAgent> => ({
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'AGENT', isFlexible: true, cell: ({ name }) => name },
    { title: 'VERSION', isOptional: true, leaveOut: 3, cell: ({ version }) => version ?? '' },
    {
      title: 'FLEET',
      isOptional: true,
      leaveOut: 2,
      cell: ({ fleetID }) => (fleetID === null ? '' : nameOfFleet(fleetID)),
    },
    { title: 'ERRORS', isRightAligned: true, leaveOut: 1, cell: ({ errorsCount }) => numberOf(errorsCount) },
  ],
  details: () => [],
});

function describeMute(group: AgentErrorGroup, time: (timestamp: string) => string): string | undefined {
  const { mutedUntil, muteReason } = group;
  if (mutedUntil === null) return undefined;
  const relative = time(mutedUntil);
  const beside = relative === mutedUntil ? '' : ` (${relative})`;
  return `until ${mutedUntil}${beside}${describeMuteEnds(group)}: ${muteReason ?? ''}`;
}

/** What ends a mute before its time. */
export function describeMuteEnds({
  muteEndsWithConfiguration,
  muteEndsAtAgentsCount,
}: AgentErrorGroup): string {
  const config = muteEndsWithConfiguration ? ', or until the next configuration' : '';
  const agents =
    muteEndsAtAgentsCount === null ? '' : `, or until it was on ${countOf(muteEndsAtAgentsCount, 'agent')}`;
  return config + agents;
}

type Mark = 'regressed' | 'new' | 'muted';

/** What sets a group apart, most important first. */
function marksOf({ regressedAt, isNew, mutedUntil }: AgentErrorGroup): readonly Mark[] {
  return [
    ...(mutedUntil === null ? [] : (['muted'] as const)),
    ...(regressedAt === null ? [] : (['regressed'] as const)),
    ...(isNew && regressedAt === null ? (['new'] as const) : []),
  ];
}

const markTones: Readonly<Record<Mark, Tone>> = { regressed: 'bad', new: 'warning', muted: 'faint' };

function toneOf(group: AgentErrorGroup): Tone | undefined {
  const [first] = marksOf(group);
  return first === undefined ? undefined : markTones[first];
}

function describeErrors({ current, superseded, dismissed }: AgentErrorGroup['errorsByState']): string {
  return [
    `${numberOf(current)} open`,
    ...(superseded === 0 ? [] : [`${numberOf(superseded)} superseded`]),
    ...(dismissed === 0 ? [] : [`${numberOf(dismissed)} dismissed`]),
  ].join(', ');
}
