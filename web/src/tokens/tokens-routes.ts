import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { tokenQuery } from './token-queries.ts';
import { readTokensSearch } from './tokens-search.ts';

const listRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/tokens',
  validateSearch: readTokensSearch,
  component: lazyRouteComponent(
    whenReachable(() => import('./tokens-page.tsx')),
    'TokensPage',
  ),
});

const oneRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/tokens/$tokenID',
  loader: ({ context: { queries }, params: { projectID, tokenID } }) =>
    void queries.prefetchQuery(tokenQuery(projectID, tokenID)),
  component: lazyRouteComponent(
    whenReachable(() => import('./token-page.tsx')),
    'TokenPage',
  ),
});

export const tokensRoutes = [listRoute, oneRoute] as const;
