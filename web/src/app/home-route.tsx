import { createRoute, redirect } from '@tanstack/react-router';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import { meQuery, projectsQuery } from '../session/session-queries.ts';
import { appTexts } from '../texts/app.ts';
import { lastProject } from './last-project.ts';
import { rootRoute } from './root-route.ts';

/** Leads to the project of the last visit, or to the newest one. */
export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  loader: async ({ context: { queries } }) => {
    const projects = await queries.ensureQueryData(projectsQuery);
    const last = lastProject();
    const project = projects.find(({ id }) => id === last) ?? projects[0];
    if (project === undefined) return queries.ensureQueryData(meQuery);
    throw redirect({ to: '/projects/$projectID', params: { projectID: project.id }, replace: true });
  },
  component: NoProjects,
});

function NoProjects() {
  const { note } = homeRoute.useLoaderData();
  return (
    <Page title={appTexts.allProjects}>
      {note === undefined ? (
        <EmptyState
          title={appTexts.noProjects}
          text={appTexts.noProjectsText}
          command={appTexts.noProjectsCommand}
        />
      ) : (
        <EmptyState title={appTexts.noProjects} text={note} />
      )}
    </Page>
  );
}
