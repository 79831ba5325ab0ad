import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';
import { whenReachable } from '../service/when-reachable.ts';

export const rolloutRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/fleets/$fleetID/rollouts/$rolloutID',
  component: lazyRouteComponent(
    whenReachable(() => import('./rollout-page.tsx')),
    'RolloutPage',
  ),
});
