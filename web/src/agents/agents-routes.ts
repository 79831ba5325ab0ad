import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { readDetailSearch } from './detail/detail-search.ts';
import { readAgentsSearch } from './list/agents-search.ts';

const agentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/agents',
  validateSearch: readAgentsSearch,
  component: lazyRouteComponent(
    whenReachable(() => import('./list/agents-page.tsx')),
    'AgentsPage',
  ),
});

const agentRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/agents/$agentID',
  validateSearch: readDetailSearch,
  component: lazyRouteComponent(
    whenReachable(() => import('./detail/agent-page.tsx')),
    'AgentPage',
  ),
});

export const agentsRoutes = [agentsRoute, agentRoute] as const;
