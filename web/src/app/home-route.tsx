import { Button } from '@mantine/core';
import { createRoute, redirect } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { meQuery, projectsQuery } from '../session/session-queries.ts';
import { useMayOnInstallation } from '../session/use-may.ts';
import { appTexts } from '../texts/app.ts';
import { lastProject } from './last-project.ts';
import { rootRoute } from './root-route.ts';

const CreateProjectDialog = lazy(whenReachable(() => import('./create-project-dialog.tsx')));

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
  const [isCreating, setIsCreating] = useState(false);
  const mayCreate = useMayOnInstallation()('create:project');
  return (
    <Page title={appTexts.allProjects}>
      {note === undefined ? (
        <EmptyState
          title={appTexts.noProjects}
          text={appTexts.noProjectsText}
          command={appTexts.noProjectsCommand}
          action={mayCreate && <Button onClick={() => setIsCreating(true)}>{appTexts.createProject}</Button>}
        />
      ) : (
        <EmptyState title={appTexts.noProjects} text={note} />
      )}
      {isCreating && (
        <Suspense>
          <CreateProjectDialog onClose={() => setIsCreating(false)} />
        </Suspense>
      )}
    </Page>
  );
}
