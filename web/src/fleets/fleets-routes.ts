import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { fleetQuery } from './fleet-queries.ts';
import { readEditorSearch, readFleetSearch } from './fleets-search.ts';

const listRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/fleets',
  component: lazyRouteComponent(
    whenReachable(() => import('./fleets-page.tsx')),
    'FleetsPage',
  ),
});

const oneRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/fleets/$fleetID',
  validateSearch: readFleetSearch,
  loader: ({ context: { queries }, params: { projectID, fleetID } }) =>
    void queries.prefetchQuery(fleetQuery(projectID, fleetID)),
  component: lazyRouteComponent(
    whenReachable(() => import('./detail/fleet-page.tsx')),
    'FleetPage',
  ),
});

const editorRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/fleets/$fleetID/edit',
  validateSearch: readEditorSearch,
  component: lazyRouteComponent(
    whenReachable(() => import('./editor/editor-page.tsx')),
    'EditorPage',
  ),
});

const valuesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/fleets/$fleetID/values',
  component: lazyRouteComponent(
    whenReachable(() => import('./values/fleet-values-page.tsx')),
    'FleetValuesPage',
  ),
});

export const fleetsRoutes = [listRoute, oneRoute, editorRoute, valuesRoute] as const;
