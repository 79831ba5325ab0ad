import { Button, Kbd } from '@mantine/core';
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { projectsQuery } from '../session/session-queries.ts';
import { useMay } from '../session/use-may.ts';
import { appTexts } from '../texts/app.ts';
import { screens } from './navigation.ts';

/** Goes to a screen or a project by its name. */
export function CommandPalette({ projectID }: { readonly projectID: string | undefined }) {
  const [[store, spotlight]] = useState(createSpotlight);
  const { data: projects = [] } = useQuery(projectsQuery);
  const may = useMay(projectID ?? '');
  const { navigate } = useRouter();
  const groups: SpotlightActionGroupData[] = [
    {
      group: appTexts.mainNavigation,
      actions:
        projectID === undefined
          ? []
          : screens
              .filter(({ needs }) => may(needs))
              .map(({ to, text }) => ({
                id: to,
                label: text,
                onClick: () => void navigate({ to, params: { projectID } }),
              })),
    },
    {
      group: appTexts.allProjects,
      actions: projects.map(({ id, name }) => ({
        id,
        label: name,
        onClick: () => void navigate({ to: '/projects/$projectID', params: { projectID: id } }),
      })),
    },
  ];
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<Icon name="search" size={14} />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        onClick={spotlight.open}
        visibleFrom="sm"
      >
        {appTexts.goTo}
      </Button>
      <Spotlight
        store={store}
        actions={groups}
        shortcut={['mod + K']}
        nothingFound={appTexts.nothingFound}
        searchProps={{ placeholder: appTexts.goToPlaceholder, 'aria-label': appTexts.goTo }}
        scrollable
        maxHeight="60vh"
      />
    </>
  );
}
