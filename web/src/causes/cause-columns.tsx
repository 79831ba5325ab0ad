import type { AgentErrorGroup } from '@muster/client';
import { formatNumber, formatShare } from '../parts/amount.tsx';
import { HostileText } from '../parts/hostile-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import type { Column } from '../table/column.ts';
import { causesTexts } from '../texts/causes.ts';

export function causeColumns(_projectID: string): readonly Column<AgentErrorGroup>[] {
  return [
    {
      id: 'cause',
      header: causesTexts.cause,
      width: 'minmax(0, 1fr)',
      cell: ({ pattern }) => <HostileText text={pattern} isLine />,
    },
    {
      id: 'agents',
      header: causesTexts.agents,
      width: '6rem',
      align: 'end',
      cell: ({ agentsCount }) => formatNumber(agentsCount),
    },
    {
      id: 'share',
      header: causesTexts.share,
      width: '5rem',
      align: 'end',
      hideBelow: 'sm',
      cell: ({ agentsShare }) => formatShare(agentsShare),
    },
    {
      id: 'lastSeen',
      header: causesTexts.lastSeen,
      width: '7rem',
      align: 'end',
      hideBelow: 'sm',
      cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
    },
  ];
}
