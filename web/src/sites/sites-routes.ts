import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { siteQuery } from './site-queries.ts';

const listRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/sites',
  component: lazyRouteComponent(
    whenReachable(() => import('./sites-page.tsx')),
    'SitesPage',
  ),
});

const oneRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/sites/$siteID',
  loader: ({ context: { queries }, params: { projectID, siteID } }) =>
    void queries.prefetchQuery(siteQuery(projectID, siteID)),
  component: lazyRouteComponent(
    whenReachable(() => import('./detail/site-page.tsx')),
    'SitePage',
  ),
});

export const sitesRoutes = [listRoute, oneRoute] as const;
