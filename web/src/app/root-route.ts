import { createRootRouteWithContext } from '@tanstack/react-router';
import { meQuery } from '../session/session-queries.ts';
import type { AppContext } from './app-context.ts';
import { NotFound } from './not-found.tsx';
import { PageFault } from './page-fault.tsx';
import { Shell } from './shell.tsx';

export const rootRoute = createRootRouteWithContext<AppContext>()({
  loader: ({ context }) => context.queries.ensureQueryData(meQuery),
  component: Shell,
  errorComponent: PageFault,
  notFoundComponent: NotFound,
});
