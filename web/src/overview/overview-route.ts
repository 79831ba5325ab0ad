import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';
import { summaryQuery } from './overview-queries.ts';
import { readOverviewSearch } from './overview-search.ts';

export const overviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  validateSearch: readOverviewSearch,
  // Begins to load with the code of the screen, which does not wait for it.
  loader: ({ context: { queries }, params: { projectID } }) =>
    void queries.prefetchQuery(summaryQuery(projectID)),
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
});
