import { visibleText } from '@muster/contract';
import '@mantine/spotlight/styles.css';
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { projectsQuery } from '../session/session-queries.ts';
import { useMay } from '../session/use-may.ts';
import { appTexts } from '../texts/app.ts';
import { visibleScreens } from './navigation.ts';

interface PaletteDialogProps {
  readonly projectID: string | undefined;
  /** How often somebody has asked for it: it opens with each time. */
  readonly openings: number;
}

/** The list of screens and projects. */
export default function PaletteDialog({ projectID, openings }: PaletteDialogProps) {
  const [[store, spotlight]] = useState(createSpotlight);
  const { data: projects = [] } = useQuery(projectsQuery);
  const may = useMay(projectID ?? '');
  const { navigate } = useRouter();
  useEffect(() => {
    if (openings > 0) spotlight.open();
  }, [openings, spotlight]);
  const groups: SpotlightActionGroupData[] = [
    {
      group: appTexts.mainNavigation,
      actions:
        projectID === undefined
          ? []
          : visibleScreens(may).map(({ to, text }) => ({
              id: to,
              label: text,
              onClick: () => void navigate({ to, params: { projectID } }),
            })),
    },
    {
      group: appTexts.allProjects,
      actions: projects.map(({ id, name }) => ({
        id,
        label: visibleText(name),
        onClick: () => void navigate({ to: '/projects/$projectID', params: { projectID: id } }),
      })),
    },
  ];
  return (
    <Spotlight
      store={store}
      actions={groups}
      shortcut={null}
      nothingFound={appTexts.nothingFound}
      searchProps={{ placeholder: appTexts.goToPlaceholder, 'aria-label': appTexts.goTo }}
      scrollable
      maxHeight="60vh"
    />
  );
}
