import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatNumber, formatShare } from '../parts/amount.ts';
import { RolloutNow } from '../rollouts/rollout-now.tsx';
import { tellsMore } from '../rollouts/rollout-progress.ts';
import { incompleteRolloutsQuery } from '../rollouts/upcoming-queries.ts';
import type { Column } from '../table/column.ts';
import { fleetsTexts } from '../texts/fleets.ts';
import classes from './fleet-columns.module.css';
import { FleetNow, ServedSince } from './fleet-now.tsx';
import type { ListedFleet } from './fleets-query.ts';
import { RunBar } from './run-bar.tsx';
import type { FleetLine } from './who-runs-what.ts';

export function fleetColumns(projectID: string): readonly Column<FleetLine<ListedFleet>>[] {
  return [
    {
      id: 'name',
      header: fleetsTexts.fleet,
      width: 'minmax(0, 3fr)',
      hideBelow: 'md',
      cell: (line) => <NameCell projectID={projectID} line={line} />,
    },
    {
      id: 'nameAndAgents',
      header: fleetsTexts.fleet,
      width: 'minmax(0, 3fr)',
      onlyBelow: 'md',
      cell: (line) => <NameCell projectID={projectID} line={line} hasAgents />,
    },
    {
      id: 'agents',
      header: fleetsTexts.agents,
      width: '4.5rem',
      align: 'end',
      hideBelow: 'md',
      cell: ({ who: { agentsCount } }) => formatNumber(agentsCount),
    },
    {
      id: 'runs',
      header: fleetsTexts.whoRunsWhat,
      width: 'minmax(0, 8fr)',
      hideBelow: 'md',
      cell: ({ who }) => <RunBar who={who} />,
    },
    {
      id: 'now',
      header: fleetsTexts.now,
      width: 'minmax(0, 5fr)',
      cell: (line) => <NowCell projectID={projectID} line={line} />,
    },
    {
      id: 'unhealthy',
      header: fleetsTexts.unhealthy,
      width: '6rem',
      align: 'end',
      hideBelow: 'sm',
      cell: ({ who: { unhealthyCount, agentsCount } }) => (
        <>
          <span className={unhealthyCount === 0 ? 'quiet' : classes.unhealthy}>
            {formatNumber(unhealthyCount)}
          </span>{' '}
          {agentsCount > 0 && unhealthyCount > 0 && (
            <span className="quiet">{formatShare(unhealthyCount / agentsCount)}</span>
          )}
        </>
      ),
    },
  ];
}

interface CellProps {
  readonly projectID: string;
  readonly line: FleetLine<ListedFleet>;
}

interface NameCellProps extends CellProps {
  /** True: there is no room for a column of them. */
  readonly hasAgents?: boolean;
}

function NameCell({ projectID, line: { fleet, who }, hasAgents = false }: NameCellProps) {
  const { id, name, currentVersion } = fleet;
  return (
    <>
      <Link
        to="/projects/$projectID/fleets/$fleetID"
        params={{ projectID, fleetID: id }}
        className={classes.name}
      >
        {name}
      </Link>
      <div className={classes.second}>
        {currentVersion === null ? fleetsTexts.noVersion : fleetsTexts.version(currentVersion.number)}
        {hasAgents && (
          <>
            , <span className={classes.agents}>{fleetsTexts.agentsOf(who.agentsCount)}</span>
          </>
        )}
      </div>
    </>
  );
}

/** What a fleet is about: agents that do not run what it serves, otherwise its rollout, otherwise what it serves. */
function NowCell({ projectID, line }: CellProps) {
  const { data } = useQuery(incompleteRolloutsQuery(projectID));
  const rollout = data?.find(({ fleetID }) => fleetID === line.fleet.id);
  const servedAt = line.fleet.currentVersion?.publishedAt;
  const isWorse = line.state === 'drifted' || line.state === 'rejected';
  if (!isWorse && rollout !== undefined && tellsMore(rollout, servedAt, Date.now()))
    return <RolloutNow projectID={projectID} rollout={rollout} className={classes.second} />;
  return (
    <>
      <FleetNow line={line} />
      <div className={classes.second}>
        <ServedSince fleet={line.fleet} />
      </div>
    </>
  );
}
