import { Alert, Skeleton } from '@mantine/core';
import { type CoreInstance, MusterError } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { useMay } from '../../session/use-may.ts';
import { sitesTexts } from '../../texts/sites.ts';
import { siteQuery } from '../site-queries.ts';
import { SiteActions } from './site-actions.tsx';
import { SiteAdvice } from './site-advice.tsx';
import { SiteAgents } from './site-agents.tsx';
import { SiteFacts } from './site-facts.tsx';
import { SiteHeading, SiteSentence } from './site-heading.tsx';
import classes from './site-page.module.css';
import { SiteReceived } from './site-received.tsx';

const route = getRouteApi('/projects/$projectID/sites/$siteID');

/** One site: whether it delivers, what to do if not, the agents behind it, and what can be done with it. */
export function SitePage() {
  const { projectID, siteID } = route.useParams();
  const { data: site, error, refetch, dataUpdatedAt } = useQuery(siteQuery(projectID, siteID));
  const toList = (text: string) => (
    <Link to="/projects/$projectID/sites" params={{ projectID }}>
      {text}
    </Link>
  );
  if (error instanceof MusterError && error.code === 'core_instance_deleted')
    return (
      <Page title={sitesTexts.site}>
        <EmptyState
          title={sitesTexts.isDeleted}
          text={sitesTexts.isDeletedText}
          action={toList(sitesTexts.toList)}
        />
      </Page>
    );
  if (error !== null && site === undefined)
    return (
      <Page title={sitesTexts.site} parent={toList(sitesTexts.title)}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Page>
    );
  return (
    <Page
      title={site?.name ?? sitesTexts.site}
      heading={site === undefined ? sitesTexts.site : <SiteHeading site={site} />}
      parent={toList(sitesTexts.title)}
      description={
        site === undefined ? <Skeleton height={20} width="24rem" maw="80vw" /> : <SiteSentence site={site} />
      }
      actions={site !== undefined && <SiteActions projectID={projectID} site={site} />}
    >
      {site === undefined ? (
        // One block for all parts, because what to do would push down what is below it.
        <Skeleton height={480} />
      ) : (
        <Parts projectID={projectID} site={site} readAt={dataUpdatedAt} />
      )}
    </Page>
  );
}

interface PartsProps {
  readonly projectID: string;
  readonly site: CoreInstance;
  readonly readAt: number;
}

function Parts({ projectID, site, readAt }: PartsProps) {
  const mayReadAgents = useMay(projectID)('read:agent');
  return (
    <>
      {site.revokedAt !== null && (
        <Alert color="red" variant="light" mb="md" title={sitesTexts.revoked}>
          {sitesTexts.revokedText}
        </Alert>
      )}
      {site.lostCount > 0 && <LostReports site={site} />}
      {site.lastRefusal && <RefusedItems count={site.refusedCount} last={site.lastRefusal} />}
      {/* In the order of a phone. */}
      <div className={classes.parts}>
        {site.lastContactAt !== null && (
          <div className={classes.received}>
            <SiteReceived site={site} readAt={readAt} />
          </div>
        )}
        <div className={classes.advice}>
          <SiteAdvice site={site} />
        </div>
        {mayReadAgents && (
          <div className={classes.agents}>
            <SiteAgents projectID={projectID} site={site} />
          </div>
        )}
        <div className={classes.facts}>
          <SiteFacts site={site} />
        </div>
      </div>
    </>
  );
}

function LostReports({ site: { lostCount, lastLossAt } }: { readonly site: CoreInstance }) {
  return (
    <p className={classes.lost}>
      <strong>{sitesTexts.lostTitle(lostCount)}.</strong>{' '}
      {lastLossAt !== null && (
        <>
          {sitesTexts.lostLast} <Moment at={lastLossAt} />,{' '}
        </>
      )}
      {sitesTexts.lostWhy}
    </p>
  );
}

function RefusedItems({
  count,
  last: { at, title },
}: {
  readonly count: number;
  readonly last: NonNullable<CoreInstance['lastRefusal']>;
}) {
  return (
    <p className={classes.lost}>
      <strong>{sitesTexts.refusedTitle(count)}.</strong> {sitesTexts.refusedLast} <Moment at={at} />: {title}.
    </p>
  );
}
