import { createRouter } from '@tanstack/react-router';
import { agentsRoutes } from '../agents/agents-routes.ts';
import { alertsRoute } from '../alerts/alerts-routes.ts';
import { auditRoute, installationAuditRoute } from '../audit/audit-routes.ts';
import { causesRoutes } from '../causes/causes-routes.ts';
import { dismissalsRoute } from '../dismissals/dismissals-routes.ts';
import { fleetsRoutes } from '../fleets/fleets-routes.ts';
import { membersRoute } from '../members/members-routes.ts';
import { overviewRoute } from '../overview/overview-route.ts';
import { rolloutRoute } from '../rollouts/rollouts-routes.ts';
import { rootURL } from '../service/root-url.ts';
import { accountRoute, settingsRoute } from '../settings/settings-routes.ts';
import { sitesRoutes } from '../sites/sites-routes.ts';
import { tokensRoutes } from '../tokens/tokens-routes.ts';
import type { AppContext } from './app-context.ts';
import { homeRoute } from './home-route.tsx';
import { PageFault } from './page-fault.tsx';
import { projectRoute } from './project-route.tsx';
import { rootRoute } from './root-route.ts';

/** Every screen. */
const routeTree = rootRoute.addChildren([
  homeRoute,
  accountRoute,
  installationAuditRoute,
  projectRoute.addChildren([
    overviewRoute,
    ...causesRoutes,
    dismissalsRoute,
    ...tokensRoutes,
    ...agentsRoutes,
    ...fleetsRoutes,
    rolloutRoute,
    ...sitesRoutes,
    alertsRoute,
    membersRoute,
    auditRoute,
    settingsRoute,
  ]),
]);

export function createAppRouter(context: AppContext) {
  return createRouter({
    routeTree,
    context,
    basepath: rootURL.pathname,
    defaultPreload: 'intent',
    // The query layer decides what is old.
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: PageFault,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: ReturnType<typeof createAppRouter>;
  }
}
