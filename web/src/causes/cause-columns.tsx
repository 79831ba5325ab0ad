import type { AgentErrorGroup } from '@muster/client';
import { titleOfCause } from '@muster/contract';
import { Link } from '@tanstack/react-router';
import { formatNumber, formatShare } from '../parts/amount.ts';
import { HostileText } from '../parts/hostile-text.tsx';
import { Moment } from '../parts/moment.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import type { Column } from '../table/column.ts';
import { causesTexts } from '../texts/causes.ts';
import classes from './cause-columns.module.css';
import { CauseMarks } from './cause-marks.tsx';
import { CauseSince } from './cause-since.tsx';
import { CauseTrend } from './cause-trend.tsx';
import { Assignee } from './notes/assignee.tsx';

/** @param hasAssignees nobody looks after any of them otherwise, and their names have more room */
export function causeColumns(projectID: string, hasAssignees: boolean): readonly Column<AgentErrorGroup>[] {
  const columns: readonly Column<AgentErrorGroup>[] = [
    {
      id: 'all',
      header: causesTexts.cause,
      width: 'minmax(0, 1fr)',
      onlyBelow: 'sm',
      cell: (cause) => (
        <>
          <CauseName projectID={projectID} cause={cause} />
          <CauseFigures projectID={projectID} cause={cause} />
        </>
      ),
    },
    {
      id: 'cause',
      header: causesTexts.cause,
      width: 'minmax(0, 1fr)',
      hideBelow: 'sm',
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
      hideBelow: 'sm',
      cell: ({ agentsCount }) => <strong>{formatNumber(agentsCount)}</strong>,
    },
    {
      id: 'share',
      header: causesTexts.share,
      width: '8rem',
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

interface CauseCellProps {
  readonly projectID: string;
  readonly cause: AgentErrorGroup;
}

/** What the catalogue calls it, with the pattern below; the pattern alone for an error that is not known there. */
function CauseName({ projectID, cause }: CauseCellProps) {
  const title = titleOfCause(cause);
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

/** What stands in columns where there is room. */
function CauseFigures({ projectID, cause }: CauseCellProps) {
  const { agentsCount, agentsShare, firstSeenAt, regressedAt, lastSeenAt } = cause;
  return (
    <div className={classes.figures}>
      <CauseTrend projectID={projectID} cause={cause} />
      <span className="number">
        <strong>{formatNumber(agentsCount)}</strong>
        <span className="visually-hidden"> {causesTexts.agentsWord(agentsCount)}</span>{' '}
        <span className="quiet">{formatShare(agentsShare)}</span>
      </span>
      <span>
        <span className="quiet">{causesTexts.sinceWord}</span>{' '}
        <Moment at={regressedAt ?? firstSeenAt} isShort />
      </span>
      <span className="quiet">
        <RelativeTime at={lastSeenAt} />
      </span>
    </div>
  );
}
