import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';

export const dismissalsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/dismissals',
  component: lazyRouteComponent(() => import('./dismissals-page.tsx'), 'DismissalsPage'),
});
