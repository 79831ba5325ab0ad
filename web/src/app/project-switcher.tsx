import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { MenuOnDemand } from '../parts/menu-on-demand.tsx';
import { whenReachable } from '../service/when-reachable.ts';
import { projectsQuery } from '../session/session-queries.ts';
import { useMayOnInstallation } from '../session/use-may.ts';
import { appTexts } from '../texts/app.ts';
import classes from './shell.module.css';

const loadItems = whenReachable(() => import('./project-items.tsx'));
const ProjectItems = lazy(loadItems);
const CreateProjectDialog = lazy(whenReachable(() => import('./create-project-dialog.tsx')));

/** Names the project, and leads to the others. */
export function ProjectSwitcher({ projectID }: { readonly projectID: string | undefined }) {
  const { data: projects = [] } = useQuery(projectsQuery);
  const name = projects.find(({ id }) => id === projectID)?.name ?? appTexts.chooseProject;
  const [isCreating, setIsCreating] = useState(false);
  const mayCreate = useMayOnInstallation()('create:project');
  if (projects.length === 0) return null;
  return (
    <>
      <MenuOnDemand
        load={loadItems}
        button={(props) => (
          <Button
            {...props}
            variant="subtle"
            color="gray"
            size="compact-md"
            className={classes.project ?? ''}
            rightSection={<Icon name="down" size={14} />}
            aria-label={`${appTexts.switchProject}: ${name}`}
          >
            <bdi>{name}</bdi>
          </Button>
        )}
        menu={(button) => (
          <ProjectItems
            button={button}
            projectID={projectID}
            onCreate={mayCreate ? () => setIsCreating(true) : undefined}
          />
        )}
      />
      {isCreating && (
        <Suspense>
          <CreateProjectDialog onClose={() => setIsCreating(false)} />
        </Suspense>
      )}
    </>
  );
}
