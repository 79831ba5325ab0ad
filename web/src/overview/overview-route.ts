import { allows, type Permission } from '@muster/contract';
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { visibleScreens } from '../app/navigation.ts';
import { projectRoute } from '../app/project-route.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { meQuery } from '../session/session-queries.ts';
import { heldIn } from '../session/use-may.ts';
import { summaryQuery } from './overview-queries.ts';
import { readOverviewSearch } from './overview-search.ts';

export const overviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  validateSearch: readOverviewSearch,
  loader: async ({ context: { queries }, params }) => {
    const held = heldIn(await queries.ensureQueryData(meQuery), params.projectID);
    const may = (permission: Permission) => allows(held, permission);
    const [first] = visibleScreens(may);
    // Somebody who may not see the overview begins with the first screen that they may see.
    if (!may('read:project') && first !== undefined) throw redirect({ to: first.to, params, replace: true });
    // Begins to load with the code of the screen, which does not wait for it.
    if (may('read:project')) void queries.prefetchQuery(summaryQuery(params.projectID));
  },
  component: lazyRouteComponent(
    whenReachable(() => import('./overview-page.tsx')),
    'OverviewPage',
  ),
});
