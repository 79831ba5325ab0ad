import { createRoute, Outlet } from '@tanstack/react-router';
import { LiveProject } from '../live/live-project.tsx';
import { keepLastProject } from './last-project.ts';
import { rootRoute } from './root-route.ts';

/** Above every screen of a project: it keeps them current. */
export const projectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/projects/$projectID',
  loader: ({ params }) => keepLastProject(params.projectID),
  component: ProjectFrame,
});

function ProjectFrame() {
  const { projectID } = projectRoute.useParams();
  const { sessionEnd } = projectRoute.useRouteContext();
  return (
    <LiveProject projectID={projectID} sessionEnd={sessionEnd}>
      <Outlet />
    </LiveProject>
  );
}
