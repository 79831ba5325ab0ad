import { visibleText } from '@muster/contract';
import '@mantine/spotlight/styles.css';
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import type { CoreInstance } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { projectsQuery } from '../session/session-queries.ts';
import { useMay } from '../session/use-may.ts';
import { sitesQuery } from '../sites/site-queries.ts';
import { sortSites } from '../sites/site-state.ts';
import { SiteStatus } from '../sites/site-status.tsx';
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
  const maySeeSites = projectID !== undefined && may('read:core_instance');
  const [typed, setTyped] = useState('');
  const { data: sites = [] } = useQuery({
    ...sitesQuery(projectID ?? ''),
    enabled: maySeeSites && openings > 0,
  });
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
      group: appTexts.sites,
      actions:
        projectID === undefined || !maySeeSites
          ? []
          : sitesCalled(typed, sites).map((site) => ({
              id: site.id,
              label: visibleText(site.name),
              rightSection: <SiteStatus site={site} />,
              onClick: () =>
                void navigate({
                  to: '/projects/$projectID/sites/$siteID',
                  params: { projectID, siteID: site.id },
                }),
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
      query={typed}
      onQueryChange={setTyped}
      shortcut={null}
      nothingFound={appTexts.nothingFound}
      searchProps={{ placeholder: appTexts.goToPlaceholder, 'aria-label': appTexts.goTo }}
      scrollable
      maxHeight="60vh"
    />
  );
}

const maxSites = 3;

/** The worst ones of those that are asked for. There can be a thousand, so that none is listed before. */
function sitesCalled(typed: string, sites: readonly CoreInstance[]): readonly CoreInstance[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return [];
  const called = sites.filter(({ name }) => visibleText(name).toLowerCase().includes(wanted));
  return sortSites(called, Date.now()).slice(0, maxSites);
}
