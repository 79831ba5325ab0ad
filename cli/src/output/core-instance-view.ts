import type { CoreInstance } from '@muster/client';
import { coreInstanceLagsAfterSeconds, numberOf } from '@muster/contract';
import { nameOfActor } from './people-views.ts';
import type { Format, View } from './printer.ts';
import { describeLength } from './relative-time.ts';
import type { Tone } from './tones.ts';

const tones: Readonly<Record<CoreInstance['status'], Tone>> = {
  waiting: 'warning',
  running: 'good',
  unreachable: 'bad',
};

export const coreInstanceView: View<CoreInstance> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'NAME', isFlexible: true, cell: ({ name }) => name },
    { title: 'STATUS', leaveOut: 1, cell: ({ status }) => status, tone: ({ status }) => tones[status] },
    { title: 'LAG', leaveOut: 2, cell: describeLag, tone: toneOfLag },
    {
      title: 'AGENTS',
      isRightAligned: true,
      leaveOut: 3,
      cell: ({ agentsCount }) => numberOf(agentsCount),
    },
    {
      title: 'LOST',
      isRightAligned: true,
      leaveOut: 5,
      cell: ({ lostCount }) => numberOf(lostCount),
      tone: ({ lostCount }) => (lostCount > 0 ? 'bad' : undefined),
    },
    { title: 'LAST CONTACT', leaveOut: 4, cell: ({ lastContactAt }, { time }) => time(lastContactAt) },
    { title: 'VERSION', leaveOut: 6, cell: ({ version }) => version ?? '' },
    { title: 'TAGS', isFlexible: true, leaveOut: 7, cell: ({ tags }) => tags.join(' ') },
  ],
  details: (one, { time }) => [
    ['id', one.id],
    ['name', one.name],
    ['token', one.token],
    ['status', one.status, tones[one.status]],
    ['last contact', time(one.lastContactAt)],
    ['running since', one.startedAt === null ? undefined : time(one.startedAt)],
    ['version', one.version ?? undefined],
    ['agents', numberOf(one.agentsCount)],
    ['waiting there', describeSpool(one), toneOfLag(one)],
    ['lag', describeLag(one, { time }), toneOfLag(one)],
    ['lost', numberOf(one.lostCount), one.lostCount > 0 ? 'bad' : undefined],
    ['last loss', one.lastLossAt === null ? undefined : time(one.lastLossAt)],
    ['refused', one.refusedCount === 0 ? undefined : numberOf(one.refusedCount), 'bad'],
    [
      'last refusal',
      one.lastRefusal === null ? undefined : `${time(one.lastRefusal.at)}: ${one.lastRefusal.title}`,
    ],
    ['clock', describeClock(one)],
    ['tags', one.tags.join(' ') || undefined],
    ['created', time(one.createdAt)],
    ['created by', nameOfActor(one.createdBy)],
    ['rotated', one.rotatedAt === null ? undefined : time(one.rotatedAt)],
    ['revoked', one.revokedAt === null ? undefined : time(one.revokedAt), 'bad'],
    ['project', one.projectID],
  ],
};

/** What waits at one that is not heard is not known. */
function describeLag(
  { lagSeconds, status, lastContactAt }: CoreInstance,
  { time }: Pick<Format, 'time'>,
): string {
  if (status === 'unreachable') return `unknown, last heard ${time(lastContactAt)}`;
  return describeLength(lagSeconds * 1_000) ?? 'none';
}

function toneOfLag({ lagSeconds, status }: CoreInstance): Tone | undefined {
  if (status === 'unreachable') return 'bad';
  return lagSeconds > coreInstanceLagsAfterSeconds ? 'warning' : undefined;
}

function describeSpool({ spooledCount, spooledBytes, status }: CoreInstance): string {
  const last = spooledCount === 0 ? '0' : `${numberOf(spooledCount)} (${numberOf(spooledBytes)} bytes)`;
  return status === 'unreachable' ? `unknown, ${last} when last heard` : last;
}

/** Undefined below a second, which matters to nobody. */
function describeClock({ clockOffsetMilliseconds: offset }: CoreInstance): string | undefined {
  const length = describeLength(Math.abs(offset ?? 0));
  if (offset === null || length === undefined) return undefined;
  return `${length} ${offset > 0 ? 'ahead of' : 'behind'} the clock of the service`;
}
