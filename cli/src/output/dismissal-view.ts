import type { Dismissal } from '@muster/client';
import { numberOf } from '@muster/contract';
import type { DetailLine, View } from './printer.ts';
import type { Tone } from './tones.ts';

const stateTones: Readonly<Record<Dismissal['state'], Tone>> = {
  running: 'warning',
  done: 'good',
  undoing: 'warning',
  undone: 'faint',
};

/** What the lines of its causes do not say. */
function describeRest({ filter, groups }: Pick<Dismissal, 'filter' | 'groups'>): string | undefined {
  const { groupID, groupIDs, ...rest } = filter;
  const count = groupIDs?.length ?? (groupID === undefined ? 0 : 1);
  const shown = groups.length === count ? rest : filter;
  return Object.keys(shown).length === 0 ? undefined : JSON.stringify(shown);
}

export const dismissalView: View<Dismissal> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'STATE', cell: ({ state }) => state, tone: ({ state }) => stateTones[state] },
    { title: 'ERRORS', isRightAligned: true, cell: ({ errorsCount }) => numberOf(errorsCount) },
    { title: 'AGENTS', isRightAligned: true, leaveOut: 2, cell: ({ agentsCount }) => numberOf(agentsCount) },
    { title: 'REQUESTED', leaveOut: 1, cell: ({ requestedAt }, { time }) => time(requestedAt) },
    { title: 'REASON', isFlexible: true, cell: ({ reason }) => reason },
  ],
  details: ({ undo, ...dismissal }, { time }) => [
    ['id', dismissal.id],
    ['state', dismissal.state, stateTones[dismissal.state]],
    ['errors', numberOf(dismissal.errorsCount)],
    ['agents', numberOf(dismissal.agentsCount)],
    ['reason', dismissal.reason],
    ...dismissal.groups.map(({ name }): DetailLine => ['cause', name]),
    ['filter', describeRest(dismissal)],
    ['requested', time(dismissal.requestedAt)],
    ['ended', dismissal.endedAt === null ? undefined : time(dismissal.endedAt)],
    ['note', dismissal.note ?? undefined],
    ['undo requested', undo === null ? undefined : time(undo.requestedAt)],
    ['reopened', undo === null ? undefined : numberOf(undo.reopenedCount)],
    ['not reopened', undo === null ? undefined : numberOf(undo.notReopenedCount)],
  ],
};
