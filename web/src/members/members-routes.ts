import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { readMembersSearch } from './members-search.ts';

export const membersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/members',
  validateSearch: readMembersSearch,
  component: lazyRouteComponent(
    whenReachable(() => import('./members-page.tsx')),
    'MembersPage',
  ),
});
