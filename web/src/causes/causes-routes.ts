import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { causeQuery } from './cause-queries.ts';
import { readCausesSearch } from './causes-search.ts';

const causesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/causes',
  validateSearch: readCausesSearch,
  component: lazyRouteComponent(
    whenReachable(() => import('./causes-page.tsx')),
    'CausesPage',
  ),
});

const causeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/causes/$causeID',
  // Begins to load with the code of the screen, which does not wait for it.
  loader: ({ context: { queries }, params: { projectID, causeID } }) =>
    void queries.prefetchQuery(causeQuery(projectID, causeID)),
  component: lazyRouteComponent(
    whenReachable(() => import('./detail/cause-page.tsx')),
    'CausePage',
  ),
});

export const causesRoutes = [causesRoute, causeRoute] as const;
