import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';
import { rootRoute } from '../app/root-route.ts';
import { whenReachable } from '../service/when-reachable.ts';
import { readAuditSearch } from './audit-search.ts';

const component = lazyRouteComponent(
  whenReachable(() => import('./audit-page.tsx')),
  'AuditPage',
);

export const auditRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/audit_log',
  validateSearch: readAuditSearch,
  component,
});

/** Of the installation, for its administrators. */
export const installationAuditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account/audit_log',
  validateSearch: readAuditSearch,
  component,
});
