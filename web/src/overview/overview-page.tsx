import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../parts/empty-state.tsx';
import { ErrorState } from '../parts/error-state.tsx';
import { Page } from '../parts/page.tsx';
import { useMay } from '../session/use-may.ts';
import { overviewTexts } from '../texts/overview.ts';
import { AgentsByStatus } from './agents-by-status.tsx';
import { Attention } from './attention.tsx';
import { ErrorHistory } from './error-history.tsx';
import { LoudestCauses } from './loudest-causes.tsx';
import classes from './overview-page.module.css';
import { summaryQuery } from './overview-queries.ts';
import { readOverviewSearch } from './overview-search.ts';
import { SinceLastVisit } from './since-last-visit.tsx';

const route = getRouteApi('/projects/$projectID/');

/** The state of a project on one screen. */
export function OverviewPage() {
  const { projectID } = route.useParams();
  const { range = 'day' } = route.useSearch({ select: readOverviewSearch });
  const maySeeErrors = useMay(projectID)('read:agent_error');
  const { data: summary, error, refetch } = useQuery(summaryQuery(projectID));
  return (
    <Page title={overviewTexts.title} description={<SinceLastVisit projectID={projectID} />}>
      {error !== null && summary === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
      {summary?.agentsCount === 0 ? (
        <EmptyState
          title={overviewTexts.noAgents}
          text={overviewTexts.noAgentsText}
          command={overviewTexts.noAgentsCommand}
        />
      ) : (
        <>
          <AgentsByStatus projectID={projectID} summary={summary} />
          <div className={classes.columns}>
            <div className={classes.column}>
              <ErrorHistory projectID={projectID} range={range} />
              {maySeeErrors && <LoudestCauses projectID={projectID} />}
            </div>
            <Attention projectID={projectID} summary={summary} />
          </div>
        </>
      )}
    </Page>
  );
}
