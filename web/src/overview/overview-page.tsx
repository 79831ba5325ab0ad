import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ErrorState } from '../parts/error-state.tsx';
import { Page } from '../parts/page.tsx';
import { overviewTexts } from '../texts/overview.ts';
import { AgentsByStatus } from './agents-by-status.tsx';
import { summaryQuery } from './overview-queries.ts';

const route = getRouteApi('/projects/$projectID/');

/** The state of a project on one screen. */
export function OverviewPage() {
  const { projectID } = route.useParams();
  const summary = useQuery(summaryQuery(projectID));
  return (
    <Page title={overviewTexts.title}>
      {summary.error !== null && summary.data === undefined ? (
        <ErrorState error={summary.error} onRetry={() => void summary.refetch()} />
      ) : (
        <AgentsByStatus summary={summary.data} />
      )}
    </Page>
  );
}
