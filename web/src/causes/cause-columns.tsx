import type { AgentErrorGroup } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { formatNumber, formatShare } from '../parts/amount.ts';
import { HostileText } from '../parts/hostile-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import type { Column } from '../table/column.ts';
import { causesTexts } from '../texts/causes.ts';
import classes from './cause-columns.module.css';
import { CauseMarks } from './cause-marks.tsx';

export function causeColumns(projectID: string): readonly Column<AgentErrorGroup>[] {
  return [
    {
      id: 'cause',
      header: causesTexts.cause,
      width: 'minmax(0, 1fr)',
      cell: (cause) => (
        <>
          <Link
            to="/projects/$projectID/causes/$causeID"
            params={{ projectID, causeID: cause.id }}
            className={classes.name}
          >
            <HostileText text={cause.pattern} isLine />
          </Link>
          <div className={classes.second}>
            <CauseMarks cause={cause} />
            {cause.explanation !== null && <span className={classes.title}>{cause.explanation.title}</span>}
          </div>
        </>
      ),
    },
    {
      id: 'agents',
      header: causesTexts.agents,
      width: '4.5rem',
      align: 'end',
      cell: ({ agentsCount }) => formatNumber(agentsCount),
    },
    {
      id: 'share',
      header: causesTexts.share,
      width: '4.5rem',
      align: 'end',
      hideBelow: 'md',
      cell: ({ agentsShare }) => formatShare(agentsShare),
    },
    {
      id: 'reports',
      header: causesTexts.reports,
      width: '5.5rem',
      align: 'end',
      hideBelow: 'lg',
      cell: ({ occurrences }) => formatNumber(occurrences),
    },
    {
      id: 'firstSeen',
      header: causesTexts.firstSeen,
      width: '6.5rem',
      align: 'end',
      hideBelow: 'lg',
      cell: ({ firstSeenAt }) => <RelativeTime at={firstSeenAt} />,
    },
    {
      id: 'lastSeen',
      header: causesTexts.lastSeen,
      width: '6.5rem',
      align: 'end',
      hideBelow: 'sm',
      cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
    },
  ];
}
