import { Title } from '@mantine/core';
import type { CoreInstance } from '@muster/client';
import { Chart } from '../../chart/chart.tsx';
import { formatMoment } from '../../parts/format-time.ts';
import { sitesTexts } from '../../texts/sites.ts';
import classes from './site-page.module.css';

interface SiteReceivedProps {
  readonly site: CoreInstance;
  /** When the site was read, which was in the last minute of its trend. */
  readonly readAt: number;
}

const minute = 60_000;

/** How much arrived from a site in each minute of the last hour, with the end of it if nobody hears the site. */
export function SiteReceived({ site, readAt }: SiteReceivedProps) {
  const { receivedPerMinute, status, lastContactAt } = site;
  const lastHeardAt = Date.parse(lastContactAt ?? site.createdAt);
  const newest = Math.floor(readAt / minute) * minute;
  const oldest = newest - (receivedPerMinute.length - 1) * minute;
  const lastHeard = sitesTexts.lastHeardAt(formatMoment(lastHeardAt, readAt, { hasSeconds: true }));
  return (
    <section>
      <div className={classes.heading}>
        <Title order={2}>{sitesTexts.received}</Title>
      </div>
      <Chart
        kind="flow"
        title={sitesTexts.received}
        unit={sitesTexts.receivedUnit}
        height={150}
        times={receivedPerMinute.map((_, place) => oldest + place * minute)}
        values={receivedPerMinute}
        marks={
          status === 'unreachable'
            ? [{ at: lastHeardAt, text: lastHeard, name: lastHeard, isChange: false }]
            : []
        }
      />
    </section>
  );
}
