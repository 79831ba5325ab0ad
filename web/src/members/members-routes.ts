import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../app/project-route.tsx';
import { choiceIn } from '../parts/read-search.ts';

const membersSections = ['members', 'invitations'] as const;

export const membersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/members',
  validateSearch: (search) => choiceIn(search, 'section', membersSections),
  component: lazyRouteComponent(() => import('./members-page.tsx'), 'MembersPage'),
});
