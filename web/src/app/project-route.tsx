import { Anchor } from '@mantine/core';
import { MusterError } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { createRoute, Link, Outlet, useMatchRoute } from '@tanstack/react-router';
import { LiveProject } from '../live/live-project.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import { projectQuery, projectsQuery } from '../session/session-queries.ts';
import { useMay } from '../session/use-may.ts';
import { appTexts } from '../texts/app.ts';
import { keepLastProject } from './last-project.ts';
import { screens, visibleScreens } from './navigation.ts';
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
  if (useIsUnknown(projectID)) return <UnknownProject />;
  return (
    <LiveProject projectID={projectID} sessionEnd={sessionEnd}>
      <PermittedScreen projectID={projectID} />
    </LiveProject>
  );
}

/** True if the service knows no such project, or none that the user has a part in: an address may be mistyped. */
function useIsUnknown(projectID: string): boolean {
  const { data: projects } = useQuery(projectsQuery);
  const isListed = projects === undefined || projects.some(({ id }) => id === projectID);
  // Only the newest projects are listed.
  const may = useMay(projectID);
  const mayRead = may('read:project');
  const { error } = useQuery({ ...projectQuery(projectID), enabled: !isListed && mayRead });
  if (isListed) return false;
  if (!mayRead) return visibleScreens(may).length === 0;
  return error instanceof MusterError && (error.status === 404 || error.status === 400);
}

function UnknownProject() {
  return (
    <Page title={appTexts.notFoundTitle}>
      <EmptyState
        title={appTexts.noSuchProject}
        text={appTexts.noSuchProjectText}
        action={
          <Anchor component={Link} to="/">
            {appTexts.toOverview}
          </Anchor>
        }
      />
    </Page>
  );
}

/** The screen, as long as the role of the user shows it. A role may be lowered while its screen is open. */
function PermittedScreen({ projectID }: { readonly projectID: string }) {
  const may = useMay(projectID);
  const matchRoute = useMatchRoute();
  const isOpen = (to: (typeof screens)[number]['to'] | '/projects/$projectID/dismissals', isExact: boolean) =>
    matchRoute({ to, params: { projectID }, fuzzy: !isExact }) !== false;
  const screen = screens.find(
    (one) => isOpen(one.to, one.isExact) || ('withToo' in one && isOpen(one.withToo, true)),
  );
  const visible = visibleScreens(may);
  if (screen === undefined || visible.some(({ to }) => to === screen.to)) return <Outlet />;
  return (
    <Page title={screen.text}>
      {visible.length === 0 ? (
        <EmptyState title={appTexts.mayNothing} text={appTexts.mayNothingText} />
      ) : (
        <EmptyState title={appTexts.mayNotSee} text={appTexts.mayNotSeeText} />
      )}
    </Page>
  );
}
