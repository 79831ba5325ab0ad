import type { AgentErrorGroup } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { formatNumber, formatShare } from '../parts/amount.ts';
import { HostileText } from '../parts/hostile-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import type { Column } from '../table/column.ts';
import { causesTexts } from '../texts/causes.ts';
import classes from './cause-columns.module.css';
import { CauseMarks } from './cause-marks.tsx';
import { CauseSince } from './cause-since.tsx';
import { CauseTrend } from './cause-trend.tsx';
import { Assignee } from './notes/assignee.tsx';
import { titleOf } from './title-of.ts';

/** @param hasAssignees nobody looks after any of them otherwise, and their names have more room */
export function causeColumns(projectID: string, hasAssignees: boolean): readonly Column<AgentErrorGroup>[] {
  const columns: readonly Column<AgentErrorGroup>[] = [
    {
      id: 'cause',
      header: causesTexts.cause,
      width: 'minmax(0, 1fr)',
      cell: (cause) => <CauseName projectID={projectID} cause={cause} />,
    },
    {
      id: 'trend',
      header: causesTexts.lastHour,
      width: '6.25rem',
      hideBelow: 'md',
      cell: (cause) => <CauseTrend projectID={projectID} cause={cause} />,
    },
    {
      id: 'agents',
      header: causesTexts.agents,
      sort: 'agents',
      width: '5.25rem',
      align: 'end',
      cell: ({ agentsCount }) => <strong>{formatNumber(agentsCount)}</strong>,
    },
    {
      id: 'share',
      header: causesTexts.share,
      width: '4.5rem',
      align: 'end',
      hideBelow: 'md',
      cell: ({ agentsShare }) => <span className="quiet">{formatShare(agentsShare)}</span>,
    },
    {
      id: 'reports',
      header: causesTexts.reports,
      sort: 'occurrences',
      width: '5.5rem',
      align: 'end',
      hideBelow: 'lg',
      cell: ({ occurrences }) => formatNumber(occurrences),
    },
    {
      id: 'firstSeen',
      header: causesTexts.since,
      sort: 'firstSeen',
      width: '8.5rem',
      hideBelow: 'md',
      cell: (cause) => <CauseSince projectID={projectID} cause={cause} />,
    },
    {
      id: 'lastSeen',
      header: causesTexts.lastSeen,
      sort: 'lastSeen',
      width: '6.5rem',
      align: 'end',
      hideBelow: 'sm',
      cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
    },
    {
      id: 'assigned',
      header: causesTexts.assignedHeader,
      width: '5.25rem',
      hideBelow: 'md',
      cell: ({ assignee }) => <Assignee assignee={assignee} />,
    },
  ];
  return hasAssignees ? columns : columns.filter(({ id }) => id !== 'assigned');
}

interface CauseNameProps {
  readonly projectID: string;
  readonly cause: AgentErrorGroup;
}

/** What the catalogue calls it, with the pattern below; the pattern alone for an error that is not known there. */
function CauseName({ projectID, cause }: CauseNameProps) {
  const title = titleOf(cause);
  return (
    <>
      <div className={classes.first}>
        <Link
          to="/projects/$projectID/causes/$causeID"
          params={{ projectID, causeID: cause.id }}
          className={title === undefined ? classes.pattern : classes.title}
        >
          {title ?? <HostileText text={cause.pattern} isLine />}
        </Link>
        <CauseMarks cause={cause} />
      </div>
      {title !== undefined && (
        <div className={classes.second}>
          <HostileText text={cause.pattern} isLine />
        </div>
      )}
    </>
  );
}
