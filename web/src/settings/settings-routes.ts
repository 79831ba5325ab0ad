import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';
import { rootRoute } from '../app/root-route.ts';
import { whenReachable } from '../service/when-reachable.ts';
import { readSettingsSearch } from './settings-search.ts';

const component = lazyRouteComponent(
  whenReachable(() => import('./settings-page.tsx')),
  'SettingsPage',
);

export const settingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings',
  validateSearch: readSettingsSearch,
  component,
});

/** For users without a project, too. */
export const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  validateSearch: readSettingsSearch,
  component,
});
