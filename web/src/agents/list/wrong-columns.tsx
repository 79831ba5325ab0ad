import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatNumber } from '../../parts/amount.ts';
import { ErrorLine } from '../../parts/error-line.tsx';
import { HostileText } from '../../parts/hostile-text.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Moment } from '../../parts/moment.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import type { Column } from '../../table/column.ts';
import { agentsTexts } from '../../texts/agents.ts';
import { AgentStatusBadge } from '../agent-status-badge.tsx';
import { AgentRuns } from './agent-runs.tsx';
import classes from './wrong-columns.module.css';
import type { Section, WrongAgent, WrongRow } from './wrong-sections.ts';

/** An agent by what is wrong with it. The other rows stand across the columns. */
export function wrongColumns(
  projectID: string,
  fleetNames: ReadonlyMap<string, string>,
): readonly Column<WrongRow>[] {
  const of = (cell: (agent: WrongAgent) => ReactNode) => (row: WrongRow) =>
    row.kind === 'agent' ? cell(row.agent) : null;
  return [
    {
      id: 'both',
      header: agentsTexts.agent,
      width: 'minmax(0, 1fr)',
      onlyBelow: 'sm',
      cell: of((agent) => (
        <>
          <div className={classes.first}>
            <AgentName projectID={projectID} agent={agent} />
            <span className="quiet">
              {agentsTexts.sinceLabel} <Since agent={agent} />
            </span>
          </div>
          <Wrong agent={agent} />
        </>
      )),
    },
    {
      id: 'name',
      header: agentsTexts.agent,
      width: 'minmax(6rem, 1fr)',
      hideBelow: 'sm',
      cell: of((agent) => <AgentName projectID={projectID} agent={agent} />),
    },
    {
      id: 'wrong',
      header: agentsTexts.whatIsWrong,
      width: 'minmax(0, 4fr)',
      hideBelow: 'sm',
      cell: of((agent) => <Wrong agent={agent} />),
    },
    {
      id: 'fleet',
      header: agentsTexts.fleet,
      width: 'minmax(5rem, 1fr)',
      hideBelow: 'lg',
      cell: of(({ fleetID }) => <Described text={fleetNames.get(fleetID ?? '') ?? fleetID} />),
    },
    {
      id: 'runs',
      header: agentsTexts.runs,
      width: 'minmax(8.5rem, 0.75fr)',
      hideBelow: 'lg',
      cell: of((agent) => <AgentRuns projectID={projectID} agent={agent} isNamed />),
    },
    {
      id: 'since',
      header: agentsTexts.since,
      width: '4.5rem',
      align: 'end',
      hideBelow: 'sm',
      cell: of((agent) => (
        <span className="quiet">
          <Since agent={agent} />
        </span>
      )),
    },
    {
      id: 'lastSeen',
      header: agentsTexts.lastHeard,
      width: '6.5rem',
      align: 'end',
      hideBelow: 'md',
      cell: of(({ lastSeenAt }) => (
        <span className="quiet">
          <RelativeTime at={lastSeenAt} />
        </span>
      )),
    },
  ];
}

interface AgentCellProps {
  readonly projectID: string;
  readonly agent: WrongAgent;
}

function AgentName({ projectID, agent: { id, name } }: AgentCellProps) {
  return (
    <Link
      to="/projects/$projectID/agents/$agentID"
      params={{ projectID, agentID: id }}
      className={classes.name}
      preload={false}
    >
      <HostileText text={name} isLine />
    </Link>
  );
}

function Wrong({ agent }: Pick<AgentCellProps, 'agent'>) {
  if (agent.openError !== null) return <ErrorLine text={agent.openError.error} />;
  return <div className={classes.reason}>{agent.statusReason ?? agentsTexts.nothingWrong}</div>;
}

function Since({ agent: { openError, since } }: Pick<AgentCellProps, 'agent'>) {
  const at = since ?? openError?.createdAt;
  return at === undefined ? null : <Moment at={at} />;
}

function Described({ text }: { readonly text: string | null }) {
  if (text === null || text === '') return <span className="quiet">{agentsTexts.unknown}</span>;
  return <HostileText text={text} isLine />;
}

interface SectionHeadingProps {
  readonly projectID: string;
  readonly section: Section;
  readonly onToggle: () => void;
}

/** The heading of the agents with which the same is wrong. */
export function SectionHeading({ projectID, section, onToggle }: SectionHeadingProps) {
  const { status, title, pattern, count, isOpen, source } = section;
  return (
    <div className={classes.section}>
      <button type="button" aria-expanded={isOpen} onClick={onToggle} className={classes.toggle}>
        <Icon name="down" size={14} />
        <AgentStatusBadge status={status} isAlone />
        <strong className={classes.title}>{title ?? <HostileText text={pattern ?? ''} isLine />}</strong>
        {count !== undefined && (
          <span className="quiet number">{agentsTexts.agentsOf(formatNumber(count), count)}</span>
        )}
      </button>
      {source.kind === 'cause' && (
        <Link to="/projects/$projectID/causes/$causeID" params={{ projectID, causeID: source.causeID }}>
          {agentsTexts.seeWhy}
          <span className="visually-hidden"> {title ?? pattern}</span>
        </Link>
      )}
      {status === 'unknown' && (
        <Link to="/projects/$projectID/sites" params={{ projectID }}>
          {agentsTexts.seeSites}
        </Link>
      )}
    </div>
  );
}
