import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';
import { readCausesSearch } from './causes-search.ts';

const causesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/causes',
  validateSearch: readCausesSearch,
  component: lazyRouteComponent(() => import('./causes-page.tsx'), 'CausesPage'),
});

export const causesRoutes = [causesRoute] as const;
