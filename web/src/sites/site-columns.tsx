import type { CoreInstance } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { TrendLine } from '../chart/trend-line.tsx';
import { formatNumber, formatShort } from '../parts/amount.ts';
import { formatDuration } from '../parts/format-duration.ts';
import { MarkedText } from '../parts/marked-text.tsx';
import { Moment } from '../parts/moment.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { useTime } from '../parts/use-time.ts';
import type { Column } from '../table/column.ts';
import { sitesTexts } from '../texts/sites.ts';
import classes from './site-columns.module.css';
import { deliveryOf, lagSecondsOf, stateOf, trendOf } from './site-state.ts';
import { SiteStatus } from './site-status.tsx';

export function siteColumns(projectID: string): readonly Column<CoreInstance>[] {
  return [
    {
      id: 'folded',
      header: sitesTexts.site,
      width: 'minmax(0, 1fr)',
      onlyBelow: 'sm',
      cell: (site) => <Folded projectID={projectID} site={site} />,
    },
    {
      id: 'name',
      header: sitesTexts.site,
      width: 'minmax(0, 2fr)',
      hideBelow: 'md',
      cell: (site) => (
        <>
          <Name projectID={projectID} site={site} />
          <div className={classes.second}>
            {site.version === null ? (
              sitesTexts.notStarted
            ) : (
              <MarkedText text={sitesTexts.version(site.version)} />
            )}
          </div>
        </>
      ),
    },
    {
      id: 'nameAndAgents',
      header: sitesTexts.site,
      width: 'minmax(0, 2fr)',
      hideBelow: 'sm',
      onlyBelow: 'md',
      cell: (site) => (
        <>
          <Name projectID={projectID} site={site} />
          <div className={classes.second}>{sitesTexts.agentsOf(site.agentsCount)}</div>
        </>
      ),
    },
    {
      id: 'status',
      header: sitesTexts.status,
      width: 'minmax(6rem, 4fr)',
      hideBelow: 'sm',
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
      hideBelow: 'md',
      cell: ({ agentsCount }) => formatNumber(agentsCount),
    },
    {
      id: 'trend',
      header: sitesTexts.lastHour,
      width: '6.25rem',
      hideBelow: 'lg',
      cell: (site) => <SiteTrend site={site} />,
    },
    {
      id: 'lag',
      header: sitesTexts.lag,
      width: '4.5rem',
      align: 'end',
      hideBelow: 'sm',
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
      width: '4.5rem',
      align: 'end',
      hideBelow: 'sm',
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

interface SiteOfProject {
  readonly projectID: string;
  readonly site: CoreInstance;
}

/** All that a phone has room for, on three lines. */
function Folded({ projectID, site }: SiteOfProject) {
  const { agentsCount, lostCount } = site;
  return (
    <>
      <div className={classes.first}>
        <Name projectID={projectID} site={site} />
        {site.status !== 'waiting' && (
          <span>
            <span className="quiet">{sitesTexts.lag}</span> <Lag site={site} />
          </span>
        )}
      </div>
      <div className={classes.state}>
        <SiteStatus site={site} />
        <span className={classes.second}>
          <Reason site={site} />
        </span>
      </div>
      <div className={classes.second}>
        {sitesTexts.agentsOf(agentsCount)}
        {lostCount > 0 && (
          <>
            {', '}
            <span className={classes.bad}>{sitesTexts.lostOf(lostCount)}</span>
          </>
        )}
      </div>
    </>
  );
}

function Name({ projectID, site: { id, name } }: SiteOfProject) {
  return (
    <Link to="/projects/$projectID/sites/$siteID" params={{ projectID, siteID: id }} className={classes.name}>
      <bdi dir="auto">
        <MarkedText text={name} />
      </bdi>
    </Link>
  );
}

/** Why a site is in its state, or nothing if it works. */
function Reason({ site }: { readonly site: CoreInstance }) {
  const { createdAt, createdBy, lastContactAt, agentsCount } = site;
  switch (stateOf(site)) {
    case 'running':
      return null;
    case 'lagging':
      return <Delivery site={site} />;
    case 'waiting':
      return (
        <>
          {sitesTexts.created} <Moment at={createdAt} />
          {createdBy.name && (
            <>
              {' '}
              {sitesTexts.by} <MarkedText text={createdBy.name} />
            </>
          )}
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

/** How fast a site gets rid of what waits there, and when it has, if it goes on like this. */
function Delivery({ site }: { readonly site: CoreInstance }) {
  const now = useTime();
  const delivery = deliveryOf(site, now);
  if (delivery === undefined) return sitesTexts.waitsFor;
  return (
    <>
      {sitesTexts.delivers(delivery.perMinute)}
      {delivery.doneAt !== undefined && (
        <>
          {sitesTexts.doneAt} <Moment at={new Date(delivery.doneAt).toISOString()} />
        </>
      )}
    </>
  );
}

/** How much has arrived from it in the last hour. */
function SiteTrend({ site }: { readonly site: CoreInstance }) {
  if (site.status === 'waiting') return null;
  return <TrendLine values={trendOf(site)} isBad={site.status === 'unreachable'} />;
}

function Lag({ site }: { readonly site: CoreInstance }) {
  const now = useTime();
  const state = stateOf(site);
  if (state === 'waiting') return <Nothing />;
  const lag = formatDuration(lagSecondsOf(site, now));
  return state === 'running' ? <span className="quiet">{lag}</span> : <strong>{lag}</strong>;
}

/** A number from here on has no room in its column. */
const manyDigits = 10_000_000;

function Count({ value, isBad = false }: { readonly value: number; readonly isBad?: boolean }) {
  const className = isBad ? classes.bad : value === 0 ? 'quiet' : undefined;
  return (
    <span className={className} title={value >= manyDigits ? formatNumber(value) : undefined}>
      {value >= manyDigits ? formatShort(value) : formatNumber(value)}
    </span>
  );
}

function Nothing() {
  return <span className="quiet">{sitesTexts.nothing}</span>;
}
