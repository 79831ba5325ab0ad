import { Title } from '@mantine/core';
import type { CoreInstance } from '@muster/client';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { formatBytes } from '../../parts/format-bytes.ts';
import { formatDuration } from '../../parts/format-duration.ts';
import { HostileText } from '../../parts/hostile-text.tsx';
import { Moment } from '../../parts/moment.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { sitesTexts } from '../../texts/sites.ts';
import classes from './site-page.module.css';

/** What is known of a site. */
export function SiteFacts({ site }: { readonly site: CoreInstance }) {
  return (
    <section>
      <Title order={2} mb="xs">
        {sitesTexts.about}
      </Title>
      <div className={classes.card}>
        <Facts facts={factsOf(site)} />
      </div>
    </section>
  );
}

function factsOf(site: CoreInstance): Fact[] {
  const { version, startedAt, lastContactAt, tags, token, rotatedAt, createdAt, createdBy, id } = site;
  const isHeard = lastContactAt !== null;
  return [
    {
      name: sitesTexts.versionName,
      value: version === null ? sitesTexts.notStarted : <HostileText text={version} />,
    },
    ...(isHeard ? [{ name: sitesTexts.lastHeard, value: <RelativeTime at={lastContactAt} /> }] : []),
    ...(startedAt === null ? [] : [{ name: sitesTexts.started, value: <RelativeTime at={startedAt} /> }]),
    ...(isHeard ? heardFacts(site) : []),
    ...(tags.length === 0
      ? []
      : [{ name: sitesTexts.tags, value: <HostileText text={tags.join(', ')} maxLength={512} /> }]),
    {
      name: sitesTexts.token,
      value: (
        <>
          <code>{token}</code>
          {rotatedAt !== null && (
            <>
              {' '}
              {sitesTexts.rotated} <RelativeTime at={rotatedAt} />
            </>
          )}
        </>
      ),
    },
    {
      name: sitesTexts.createdName,
      value: (
        <>
          <RelativeTime at={createdAt} /> {sitesTexts.by}{' '}
          <NameText text={createdBy.name ?? sitesTexts.somebody} />
        </>
      ),
    },
    { name: sitesTexts.id, value: <code>{id}</code> },
  ];
}

function heardFacts(site: CoreInstance): Fact[] {
  const { status, lastContactAt, spooledCount, spooledBytes } = site;
  const { lostCount, lastLossAt, clockOffsetMilliseconds } = site;
  const kept = sitesTexts.items(spooledCount, formatBytes(spooledBytes));
  return [
    {
      name: sitesTexts.kept,
      value:
        status === 'unreachable' && lastContactAt !== null ? (
          <>
            {sitesTexts.keptThen(kept)} <Moment at={lastContactAt} />
          </>
        ) : (
          kept
        ),
    },
    {
      name: sitesTexts.lost,
      value:
        lostCount === 0 ? (
          sitesTexts.nothingEver
        ) : (
          <span className={classes.bad}>
            {sitesTexts.reports(lostCount)}
            {lastLossAt !== null && (
              <>
                {', '}
                {sitesTexts.lastly} <RelativeTime at={lastLossAt} />
              </>
            )}
          </span>
        ),
    },
    ...(clockOffsetMilliseconds === null
      ? []
      : [{ name: sitesTexts.clock, value: describeClock(clockOffsetMilliseconds) }]),
  ];
}

/** The way to the service takes a part of it, so that less than a second says nothing. */
function describeClock(offsetMilliseconds: number): string {
  const seconds = Math.round(Math.abs(offsetMilliseconds) / 1_000);
  if (seconds === 0) return sitesTexts.clockRight;
  const size = formatDuration(seconds);
  return offsetMilliseconds > 0 ? sitesTexts.clockAhead(size) : sitesTexts.clockBehind(size);
}
