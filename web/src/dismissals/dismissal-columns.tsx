import { Button } from '@mantine/core';
import type { Dismissal } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../parts/amount.ts';
import { NameText } from '../parts/name-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { StatusBadge, type StatusTone } from '../parts/status-badge.tsx';
import type { Column } from '../table/column.ts';
import { dismissalsTexts } from '../texts/dismissals.ts';
import { describeFilter } from './describe-filter.ts';

const tones: Readonly<Record<Dismissal['state'], StatusTone>> = {
  running: 'accent',
  done: 'good',
  undoing: 'accent',
  undone: 'quiet',
};

/** @param onUndo undefined: the user may not undo */
export function dismissalColumns(
  projectID: string,
  onUndo: ((dismissal: Dismissal) => void) | undefined,
): readonly Column<Dismissal>[] {
  return [
    {
      id: 'reason',
      header: dismissalsTexts.reason,
      width: 'minmax(0, 2fr)',
      cell: ({ reason }) => <bdi>{reason}</bdi>,
    },
    {
      id: 'what',
      header: dismissalsTexts.what,
      width: 'minmax(0, 2fr)',
      hideBelow: 'md',
      cell: (dismissal) => {
        const what = <NameText text={describeFilter(dismissal)} />;
        const [group, ...others] = dismissal.groups;
        if (group === undefined || others.length > 0) return what;
        return (
          <Link to="/projects/$projectID/causes/$causeID" params={{ projectID, causeID: group.id }}>
            {what}
          </Link>
        );
      },
    },
    {
      id: 'errors',
      header: dismissalsTexts.errors,
      width: '4.5rem',
      align: 'end',
      cell: ({ errorsCount }) => formatNumber(errorsCount),
    },
    {
      id: 'agents',
      header: dismissalsTexts.agents,
      width: '4.5rem',
      align: 'end',
      hideBelow: 'lg',
      cell: ({ agentsCount }) => formatNumber(agentsCount),
    },
    {
      id: 'by',
      header: dismissalsTexts.by,
      width: '9rem',
      hideBelow: 'lg',
      cell: ({ requestedBy: { kind, name, id } }) => (
        <bdi>{name ?? (kind === 'system' ? dismissalsTexts.service : id)}</bdi>
      ),
    },
    {
      id: 'when',
      header: dismissalsTexts.when,
      width: '6.5rem',
      hideBelow: 'md',
      cell: ({ requestedAt }) => <RelativeTime at={requestedAt} />,
    },
    {
      id: 'state',
      header: dismissalsTexts.state,
      width: '7rem',
      hideBelow: 'sm',
      cell: ({ state }) => <StatusBadge tone={tones[state]} text={dismissalsTexts.states[state]} />,
    },
    {
      id: 'undo',
      header: dismissalsTexts.undo,
      width: '5.5rem',
      align: 'end',
      cell: (dismissal) =>
        onUndo !== undefined &&
        dismissal.undo === null && (
          <Button size="compact-xs" variant="default" onClick={() => onUndo(dismissal)}>
            {`${dismissalsTexts.undo}…`}
          </Button>
        ),
    },
  ];
}
