import '@mantine/spotlight/styles.css';
import { Kbd } from '@mantine/core';
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from '@mantine/spotlight';
import { visibleText } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Icon, type IconName } from '../parts/icon.tsx';
import { useVisited } from '../parts/visited.ts';
import { projectsQuery } from '../session/session-queries.ts';
import { useIsAdministrator } from '../session/use-is-administrator.ts';
import { useMay } from '../session/use-may.ts';
import { appTexts } from '../texts/app.ts';
import { paletteTexts } from '../texts/palette.ts';
import { settingsTexts } from '../texts/settings.ts';
import { visibleScreens } from './navigation.ts';
import classes from './palette-dialog.module.css';
import { lookOf, opening, useFound } from './use-found.tsx';

const creations = [
  {
    to: '/projects/$projectID/tokens',
    needs: 'create:token',
    icon: 'tokens',
    text: paletteTexts.createToken,
    keywords: [],
  },
  {
    to: '/projects/$projectID/fleets',
    needs: 'create:fleet',
    icon: 'fleets',
    text: paletteTexts.createFleet,
    keywords: [],
  },
  {
    to: '/projects/$projectID/members',
    needs: 'create:member',
    icon: 'members',
    text: paletteTexts.invite,
    keywords: paletteTexts.invited,
  },
] as const;

const maxVisited = 5;

interface PaletteDialogProps {
  readonly projectID: string | undefined;
  /** How often somebody has asked for it: it opens with each time. */
  readonly openings: number;
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
  /** Undefined: the user may not make projects. */
  readonly onCreateProject: (() => void) | undefined;
}

/** Finds what is called or contains what is typed, and does what a screen would. */
export default function PaletteDialog(props: PaletteDialogProps) {
  const { projectID, openings, typed, onTyped, onCreateProject } = props;
  const [[store, spotlight]] = useState(createSpotlight);
  const { data: projects = [] } = useQuery(projectsQuery);
  const { groups: found, actions: foundActions } = useFound(projectID, typed, openings);
  useEffect(() => {
    if (openings > 0) spotlight.open();
  }, [openings, spotlight]);
  // The library chooses the first one when something is typed, and goes on from its number. What the service finds comes later, between and before.
  useEffect(() => {
    const state = store.getState();
    const list = found.length === 0 ? null : document.getElementById(state.listId);
    if (list === null) return;
    const actions = [...list.querySelectorAll('[data-action]')];
    const selected = Math.max(
      actions.findIndex((action) => action.hasAttribute('data-selected')),
      0,
    );
    actions[selected]?.setAttribute('data-selected', 'true');
    if (state.selected !== selected) store.setState({ ...state, selected });
  }, [found, store]);
  const { navigate, state } = useRouter();
  const visitedScreens = useVisited();
  const may = useMay(projectID ?? '');
  const isAdministrator = useIsAdministrator();
  const wanted = typed.trim().toLowerCase();
  const matching = (actions: readonly SpotlightActionData[]) =>
    actions.filter(({ label = '', keywords = [] }) =>
      [label, keywords].flat().some((text) => hasWord(text, wanted)),
    );
  const screens =
    projectID === undefined
      ? []
      : visibleScreens(may).map(({ to, text, icon }) => ({
          ...lookOf(icon, text),
          id: to,
          onClick: () => void navigate({ to, params: { projectID } }),
        }));
  const actions: SpotlightActionData[] =
    projectID === undefined
      ? []
      : creations
          .filter(({ needs }) => may(needs))
          .map(({ to, icon, text, keywords }) => ({
            ...lookOf(icon, text),
            id: text,
            keywords: [...keywords],
            onClick: () => void navigate({ to, params: { projectID }, state: opening('create') }),
          }));
  if (projectID !== undefined && may('create:webhook'))
    actions.push({
      ...lookOf('alerts', paletteTexts.createChannel),
      id: 'create-channel',
      keywords: paletteTexts.channels,
      onClick: () =>
        void navigate({
          to: '/projects/$projectID/alerts',
          params: { projectID },
          search: { section: 'channels' },
          state: opening('create'),
        }),
    });
  if (isAdministrator) {
    const search = { section: 'backups' } as const;
    actions.push({
      ...lookOf('settings', settingsTexts.sections.backups),
      id: 'backups',
      onClick: () =>
        void (projectID === undefined
          ? navigate({ to: '/account', search })
          : navigate({ to: '/projects/$projectID/settings', params: { projectID }, search })),
    });
  }
  if (onCreateProject !== undefined)
    actions.push({
      ...lookOf('overview', appTexts.createProject),
      id: 'create-project',
      onClick: onCreateProject,
    });
  const visited =
    projectID === undefined || wanted !== ''
      ? []
      : visitedScreens
          .listOthers(projectID, state.location.pathname)
          .slice(0, maxVisited)
          .map(({ path, title }) => ({
            ...lookOf(iconOf(path), title),
            id: path,
            onClick: () => void navigate({ to: path }),
          }));
  const groups: SpotlightActionGroupData[] = [
    { group: paletteTexts.lastVisited, actions: visited },
    ...found,
    { group: appTexts.mainNavigation, actions: matching(screens) },
    { group: paletteTexts.actions, actions: [...foundActions, ...matching(actions)] },
    {
      group: appTexts.allProjects,
      actions: projects
        .filter(({ name }) => visibleText(name).toLowerCase().includes(wanted))
        .map(({ id, name }) => ({
          ...lookOf('overview', name),
          id,
          onClick: () => void navigate({ to: '/projects/$projectID', params: { projectID: id } }),
        })),
    },
  ];
  // What is called so comes first: a screen by the beginning of its name, otherwise what was found.
  const isScreen = wanted !== '' && screens.some(({ label }) => label.toLowerCase().startsWith(wanted));
  if (isScreen) groups.unshift(...groups.splice(found.length + 1, 1));
  const shown = groups.filter(({ actions: { length } }) => length > 0);
  return (
    <Spotlight.Root
      store={store}
      query={typed}
      onQueryChange={onTyped}
      shortcut={null}
      classNames={{ action: classes.action ?? '', actionsGroup: classes.group ?? '' }}
      attributes={{ content: { 'aria-label': appTexts.goTo } }}
      // While it closed slowly, it would still have what was typed, and forget what is typed when it is opened again.
      transitionProps={{ duration: 0 }}
      scrollable
      maxHeight="60vh"
    >
      <Spotlight.Search
        placeholder={paletteTexts.goToPlaceholder}
        aria-label={appTexts.goTo}
        leftSection={<Icon name="search" />}
      />
      {shown.length === 0 ? (
        <Spotlight.Empty>{paletteTexts.nothingFound}</Spotlight.Empty>
      ) : (
        <Spotlight.ActionsList>
          {shown.map(({ group, actions: listed }) => (
            <Spotlight.ActionsGroup key={group} label={group}>
              {listed.map(({ id, ...action }) => (
                <Spotlight.Action key={id} highlightQuery {...action} />
              ))}
            </Spotlight.ActionsGroup>
          ))}
        </Spotlight.ActionsList>
      )}
      <Spotlight.Footer className={classes.footer}>
        {Object.entries(paletteTexts.paletteKeys).map(([key, text]) => (
          <span key={key}>
            <Kbd size="xs">{key}</Kbd> {text}
          </span>
        ))}
      </Spotlight.Footer>
    </Spotlight.Root>
  );
}

const iconsOfOne: Readonly<Record<string, IconName>> = {
  causes: 'causes',
  agents: 'agents',
  fleets: 'fleets',
  sites: 'sites',
  tokens: 'tokens',
};

/** Whether a word of a text begins so: `rotate` is no part of what creates something, and neither is its end. */
function hasWord(text: string, wanted: string): boolean {
  return ` ${text.toLowerCase()}`.includes(` ${wanted}`);
}

/** That of its list. */
function iconOf(path: string): IconName {
  const [, , , list = ''] = path.split('/');
  return iconsOfOne[list] ?? 'overview';
}
