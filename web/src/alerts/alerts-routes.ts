import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { readAlertsSearch } from './alerts-search.ts';

export const alertsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/alerts',
  validateSearch: readAlertsSearch,
  component: lazyRouteComponent(
    whenReachable(() => import('./alerts-page.tsx')),
    'AlertsPage',
  ),
});
