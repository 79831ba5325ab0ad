import type { CoreInstance } from '@muster/client';
import { formatDuration } from '../../parts/format-duration.ts';
import { Moment } from '../../parts/moment.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { useTime } from '../../parts/use-time.ts';
import { sitesTexts } from '../../texts/sites.ts';
import { lagSecondsOf, stateOf } from '../site-state.ts';
import { SiteStatus } from '../site-status.tsx';
import classes from './site-page.module.css';

interface SiteProps {
  readonly site: CoreInstance;
}

/** In a sentence, what is the matter with the site. */
export function SiteHeading({ site }: SiteProps) {
  const { name, lastContactAt, createdAt } = site;
  const now = useTime();
  const state = stateOf(site);
  const { headings } = sitesTexts;
  return (
    <>
      <NameText text={name} />{' '}
      {state === 'unreachable' ? (
        <>
          {headings.unreachable} <Moment at={lastContactAt ?? createdAt} />
        </>
      ) : state === 'lagging' ? (
        headings.lagging(formatDuration(lagSecondsOf(site, now)))
      ) : (
        headings[state]
      )}
    </>
  );
}

/** Its status, and what that means for its agents. */
export function SiteSentence({ site }: SiteProps) {
  const now = useTime();
  return (
    <div className={classes.sentence}>
      <SiteStatus site={site} />
      <span>{meaningOf(site, now)}</span>
    </div>
  );
}

function meaningOf(site: CoreInstance, now: number) {
  switch (stateOf(site)) {
    case 'unreachable':
      return (
        <>
          {site.agentsCount > 0 && (
            <strong className={classes.story}>{sitesTexts.unknownNotOffline(site.agentsCount)} </strong>
          )}
          {sitesTexts.nothingHeard(formatDuration(lagSecondsSinceHeard(site, now)))}
        </>
      );
    case 'lagging':
      return sitesTexts.arrivesLate(site.spooledCount);
    case 'running':
      return sitesTexts.allArrives;
    case 'waiting':
      return sitesTexts.noContact;
  }
}

/** Apart from what waited at that time. */
function lagSecondsSinceHeard({ status, lastContactAt }: CoreInstance, now: number): number {
  return lagSecondsOf({ status, lastContactAt, lagSeconds: 0 }, now);
}
