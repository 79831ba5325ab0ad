import { useDebouncedValue } from '@mantine/hooks';
import { visibleText } from '@muster/contract';
import '@mantine/spotlight/styles.css';
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from '@mantine/spotlight';
import type { CoreInstance } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { reportedFleetsQuery } from '../agents/agent-queries.ts';
import { AgentStatusBadge } from '../agents/agent-status-badge.tsx';
import { titleOf } from '../causes/title-of.ts';
import { FleetNow } from '../fleets/fleet-now.tsx';
import { versionCountsQuery } from '../fleets/fleet-queries.ts';
import { fleetsQuery } from '../fleets/fleets-query.ts';
import { fleetLines } from '../fleets/who-runs-what.ts';
import { projectsQuery } from '../session/session-queries.ts';
import { useMay } from '../session/use-may.ts';
import { sitesQuery } from '../sites/site-queries.ts';
import { sortSites } from '../sites/site-state.ts';
import { SiteStatus } from '../sites/site-status.tsx';
import { appTexts } from '../texts/app.ts';
import { causesTexts } from '../texts/causes.ts';
import { visibleScreens } from './navigation.ts';
import classes from './palette-dialog.module.css';
import { agentsCalledQuery, called, causesCalledQuery, tokensCalledQuery } from './palette-queries.ts';

interface PaletteDialogProps {
  readonly projectID: string | undefined;
  /** How often somebody has asked for it: it opens with each time. */
  readonly openings: number;
  /** Undefined: the user may not make projects. */
  readonly onCreateProject: (() => void) | undefined;
}

const typingMilliseconds = 150;

/** Finds what is called or contains what is typed, and does what a screen would. */
export default function PaletteDialog({ projectID, openings, onCreateProject }: PaletteDialogProps) {
  const [[store, spotlight]] = useState(createSpotlight);
  const { data: projects = [] } = useQuery(projectsQuery);
  const [typed, setTyped] = useState('');
  const found = useFound(projectID, typed, openings > 0);
  useEffect(() => {
    if (openings > 0) spotlight.open();
  }, [openings, spotlight]);
  // The library chooses the first one when something is typed, and what the service finds comes later.
  useEffect(() => {
    const { listId } = store.getState();
    const list = found.length === 0 ? null : document.getElementById(listId);
    if (list === null || list.querySelector('[data-selected]') !== null) return;
    list.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
    store.setState({ ...store.getState(), selected: 0 });
  }, [found, store]);
  const { navigate } = useRouter();
  const may = useMay(projectID ?? '');
  const wanted = typed.trim().toLowerCase();
  const matching = (actions: readonly SpotlightActionData[]) =>
    actions.filter(({ label = '' }) => label.toLowerCase().includes(wanted));
  const screens =
    projectID === undefined
      ? []
      : visibleScreens(may).map(({ to, text }) => ({
          id: to,
          label: text,
          onClick: () => void navigate({ to, params: { projectID } }),
        }));
  const creates = { creates: true } as const;
  const actions = [
    ...(projectID !== undefined && may('create:token')
      ? [
          {
            id: 'create-token',
            label: appTexts.createToken,
            onClick: () =>
              void navigate({ to: '/projects/$projectID/tokens', params: { projectID }, state: creates }),
          },
        ]
      : []),
    ...(projectID !== undefined && may('create:fleet')
      ? [
          {
            id: 'create-fleet',
            label: appTexts.createFleet,
            onClick: () =>
              void navigate({ to: '/projects/$projectID/fleets', params: { projectID }, state: creates }),
          },
        ]
      : []),
    ...(projectID !== undefined && may('create:member')
      ? [
          {
            id: 'invite',
            label: appTexts.invite,
            onClick: () =>
              void navigate({ to: '/projects/$projectID/members', params: { projectID }, state: creates }),
          },
        ]
      : []),
    ...(onCreateProject === undefined
      ? []
      : [{ id: 'create-project', label: appTexts.createProject, onClick: onCreateProject }]),
  ];
  const groups: SpotlightActionGroupData[] = [
    ...found,
    { group: appTexts.mainNavigation, actions: matching(screens) },
    { group: appTexts.actions, actions: matching(actions) },
    {
      group: appTexts.allProjects,
      actions: matching(
        projects.map(({ id, name }) => ({
          id,
          label: visibleText(name),
          onClick: () => void navigate({ to: '/projects/$projectID', params: { projectID: id } }),
        })),
      ),
    },
  ];
  // What is called so comes first: a screen by the beginning of its name, otherwise what was found.
  const isScreen = wanted !== '' && screens.some(({ label }) => label.toLowerCase().startsWith(wanted));
  if (isScreen) groups.unshift(...groups.splice(found.length, 1));
  return (
    <Spotlight
      store={store}
      actions={groups.filter((group) => group.actions.length > 0)}
      query={typed}
      onQueryChange={setTyped}
      // The service has searched already, also in what is not shown here.
      filter={(_, all) => all}
      shortcut={null}
      classNames={{ action: classes.action ?? '' }}
      attributes={{ content: { 'aria-label': appTexts.goTo } }}
      nothingFound={appTexts.nothingFound}
      searchProps={{ placeholder: appTexts.goToPlaceholder, 'aria-label': appTexts.goTo }}
      scrollable
      maxHeight="60vh"
    />
  );
}

/** What the service finds, at most three of each kind. */
function useFound(
  projectID: string | undefined,
  typed: string,
  isOpen: boolean,
): readonly SpotlightActionGroupData[] {
  const [wanted] = useDebouncedValue(typed.trim(), typingMilliseconds);
  const may = useMay(projectID ?? '');
  const { navigate } = useRouter();
  const asks = isOpen && projectID !== undefined && wanted !== '' && typed.trim() !== '';
  const id = projectID ?? '';
  const causes = useQuery({ ...causesCalledQuery(id, wanted), enabled: asks && may('read:agent_error') });
  const agents = useQuery({ ...agentsCalledQuery(id, wanted), enabled: asks && may('read:agent') });
  const tokens = useQuery({ ...tokensCalledQuery(id), enabled: asks && may('read:token') });
  const fleets = useQuery({ ...fleetsQuery(id), enabled: asks && may('read:fleet') });
  const counts = useQuery({ ...versionCountsQuery(id), enabled: asks && may('read:fleet') });
  const sites = useQuery({ ...sitesQuery(id), enabled: asks && may('read:core_instance') });
  const reported = useQuery({
    ...reportedFleetsQuery(id),
    enabled: asks && may('read:fleet') && may('read:agent'),
  });
  if (!asks) return [];
  const params = { projectID };
  return [
    {
      group: appTexts.causes,
      actions: (causes.data ?? []).map((cause) => ({
        id: cause.id,
        label: titleOf(cause) ?? visibleText(cause.pattern.slice(0, 120)),
        rightSection: <span className="quiet">{causesTexts.agentsOf(cause.agentsCount)}</span>,
        dimmedSections: false,
        onClick: () =>
          void navigate({
            to: '/projects/$projectID/causes/$causeID',
            params: { ...params, causeID: cause.id },
          }),
      })),
    },
    {
      group: appTexts.agents,
      actions: [
        ...(agents.data ?? []).map(({ id: agentID, name, status }) => ({
          id: agentID,
          label: visibleText(name),
          rightSection: <AgentStatusBadge status={status} />,
          dimmedSections: false,
          onClick: () =>
            void navigate({ to: '/projects/$projectID/agents/$agentID', params: { ...params, agentID } }),
        })),
        ...called(wanted, namedFleets(reported.data?.fleets ?? [])).map(
          ({ id: fleet, name, agentsCount }) => ({
            id: `agents of ${fleet}`,
            label: appTexts.agentsOfFleet(agentsCount, visibleText(name)),
            onClick: () => void navigate({ to: '/projects/$projectID/agents', params, search: { fleet } }),
          }),
        ),
      ],
    },
    {
      group: appTexts.fleets,
      actions: fleetLines(called(wanted, fleets.data ?? []), counts.data ?? []).map((line) => ({
        id: line.fleet.id,
        label: visibleText(line.fleet.name),
        rightSection: counts.data && <FleetNow line={line} />,
        dimmedSections: false,
        onClick: () =>
          void navigate({
            to: '/projects/$projectID/fleets/$fleetID',
            params: { ...params, fleetID: line.fleet.id },
          }),
      })),
    },
    {
      group: appTexts.tokens,
      actions: called(wanted, tokens.data ?? []).map(({ id: tokenID, name }) => ({
        id: tokenID,
        label: visibleText(name),
        onClick: () =>
          void navigate({ to: '/projects/$projectID/tokens/$tokenID', params: { ...params, tokenID } }),
      })),
    },
    {
      group: appTexts.sites,
      actions: sitesCalled(wanted, sites.data ?? []).map((site) => ({
        id: site.id,
        label: visibleText(site.name),
        rightSection: <SiteStatus site={site} />,
        dimmedSections: false,
        onClick: () =>
          void navigate({ to: '/projects/$projectID/sites/$siteID', params: { ...params, siteID: site.id } }),
      })),
    },
  ];
}

/** The fleets that agents report, which they may have named themselves. */
function namedFleets(
  fleets: readonly { readonly id: string; readonly name: string | null; readonly agentsCount: number }[],
) {
  return fleets.map(({ id, name, agentsCount }) => ({ id, name: name ?? id, agentsCount }));
}

const maxSites = 3;

/** The worst ones of those that are asked for. There can be a thousand. */
function sitesCalled(wanted: string, sites: readonly CoreInstance[]): readonly CoreInstance[] {
  const text = wanted.toLowerCase();
  const matching = sites.filter(({ name }) => visibleText(name).toLowerCase().includes(text));
  return sortSites(matching, Date.now()).slice(0, maxSites);
}
