import type { CoreInstance } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../parts/amount.ts';
import { formatDuration } from '../parts/format-duration.ts';
import { HostileText } from '../parts/hostile-text.tsx';
import { Moment } from '../parts/moment.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { useTime } from '../parts/use-time.ts';
import type { Column } from '../table/column.ts';
import { sitesTexts } from '../texts/sites.ts';
import classes from './site-columns.module.css';
import { lagSecondsOf, stateOf } from './site-state.ts';
import { SiteStatus } from './site-status.tsx';

export function siteColumns(projectID: string): readonly Column<CoreInstance>[] {
  return [
    {
      id: 'name',
      header: sitesTexts.site,
      width: 'minmax(0, 2fr)',
      cell: ({ id, name, version }) => (
        <>
          <Link
            to="/projects/$projectID/sites/$siteID"
            params={{ projectID, siteID: id }}
            className={classes.name}
          >
            <HostileText text={name} isLine />
          </Link>
          <div className={classes.second}>
            {version === null ? (
              sitesTexts.notStarted
            ) : (
              <HostileText text={sitesTexts.version(version)} isLine />
            )}
          </div>
        </>
      ),
    },
    {
      id: 'status',
      header: sitesTexts.status,
      width: 'minmax(6rem, 3fr)',
      cell: (site) => (
        <>
          <SiteStatus site={site} />
          <div className={classes.second}>
            <Reason site={site} />
          </div>
        </>
      ),
    },
    {
      id: 'agents',
      header: sitesTexts.agents,
      width: '4.5rem',
      align: 'end',
      hideBelow: 'sm',
      cell: ({ agentsCount }) => formatNumber(agentsCount),
    },
    {
      id: 'lag',
      header: sitesTexts.lag,
      width: '4.5rem',
      align: 'end',
      cell: (site) => <Lag site={site} />,
    },
    {
      id: 'kept',
      header: sitesTexts.kept,
      width: '6rem',
      align: 'end',
      hideBelow: 'md',
      cell: ({ status, spooledCount }) => {
        if (status === 'waiting') return <Nothing />;
        if (status === 'unreachable') return <span className="quiet">{sitesTexts.notKnown}</span>;
        return <Count value={spooledCount} />;
      },
    },
    {
      id: 'lost',
      header: sitesTexts.lost,
      width: '4rem',
      align: 'end',
      cell: ({ status, lostCount }) =>
        status === 'waiting' ? <Nothing /> : <Count value={lostCount} isBad={lostCount > 0} />,
    },
    {
      id: 'lastHeard',
      header: sitesTexts.lastHeard,
      width: '6.5rem',
      align: 'end',
      hideBelow: 'md',
      cell: ({ lastContactAt }) =>
        lastContactAt === null ? (
          <span className="quiet">{sitesTexts.never}</span>
        ) : (
          <RelativeTime at={lastContactAt} />
        ),
    },
  ];
}

/** Why a site is in its state, or nothing if it works. */
function Reason({ site }: { readonly site: CoreInstance }) {
  const { createdAt, lastContactAt, agentsCount } = site;
  switch (stateOf(site)) {
    case 'running':
      return null;
    case 'lagging':
      return sitesTexts.waitsFor;
    case 'waiting':
      return (
        <>
          {sitesTexts.created} <Moment at={createdAt} />
        </>
      );
    case 'unreachable':
      return (
        <>
          {sitesTexts.since} <Moment at={lastContactAt ?? createdAt} />
          {agentsCount > 0 && sitesTexts.unknownAgents}
        </>
      );
  }
}

function Lag({ site }: { readonly site: CoreInstance }) {
  const now = useTime();
  const state = stateOf(site);
  if (state === 'waiting') return <Nothing />;
  const lag = formatDuration(lagSecondsOf(site, now));
  return state === 'running' ? <span className="quiet">{lag}</span> : <strong>{lag}</strong>;
}

function Count({ value, isBad = false }: { readonly value: number; readonly isBad?: boolean }) {
  const className = isBad ? classes.bad : value === 0 ? 'quiet' : undefined;
  return <span className={className}>{formatNumber(value)}</span>;
}

function Nothing() {
  return <span className="quiet">{sitesTexts.nothing}</span>;
}
