import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';
import { whenReachable } from '../service/when-reachable.ts';

export const dismissalsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/dismissals',
  component: lazyRouteComponent(
    whenReachable(() => import('./dismissals-page.tsx')),
    'DismissalsPage',
  ),
});
