import { useDebouncedValue } from '@mantine/hooks';
import type { SpotlightActionData, SpotlightActionGroupData } from '@mantine/spotlight';
import type { AgentErrorGroup, CoreInstance } from '@muster/client';
import { titleOfCause, visibleText } from '@muster/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { reportedFleetsQuery } from '../agents/agent-queries.ts';
import { AgentStatusBadge } from '../agents/agent-status-badge.tsx';
import { FleetNow } from '../fleets/fleet-now.tsx';
import { versionCountsQuery } from '../fleets/fleet-queries.ts';
import { fleetsQuery } from '../fleets/fleets-query.ts';
import { fleetLines } from '../fleets/who-runs-what.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { useMay } from '../session/use-may.ts';
import { sitesQuery } from '../sites/site-queries.ts';
import { sortSites } from '../sites/site-state.ts';
import { SiteStatus } from '../sites/site-status.tsx';
import { appTexts } from '../texts/app.ts';
import { causesTexts } from '../texts/causes.ts';
import { paletteTexts } from '../texts/palette.ts';
import { agentsCalledQuery, called, causesCalledQuery, tokensCalledQuery } from './palette-queries.ts';
import type { ArrivalDialog } from './use-arrival.ts';

/** The state of a navigation that opens a dialog. */
export function opening(opens: ArrivalDialog) {
  return { opens, askedAt: performance.now() };
}

const typingMilliseconds = 150;

export interface Found {
  /** By their kinds. */
  readonly groups: readonly SpotlightActionGroupData[];
  /** What can be done with the best one of each kind; after a verb such as `rotate`, with those whose name follows it. */
  readonly actions: readonly SpotlightActionData[];
}

const nothing: Found = { groups: [], actions: [] };

/** What the service finds, at most three of each kind, and what can be done with it. */
export function useFound(projectID: string | undefined, typed: string, openings: number): Found {
  const [wanted] = useDebouncedValue(typed.trim(), typingMilliseconds);
  const may = useMay(projectID ?? '');
  const { navigate } = useRouter();
  const asks = openings > 0 && projectID !== undefined && wanted !== '' && typed.trim() !== '';
  const id = projectID ?? '';
  const causes = useQuery({ ...causesCalledQuery(id, wanted), enabled: asks && may('read:agent_error') });
  const said = verbOf(wanted);
  const isOfCauses = said?.verb === 'mute' || said?.verb === 'dismiss';
  const causesOfVerb = useQuery({
    ...causesCalledQuery(id, said?.name ?? ''),
    enabled: asks && isOfCauses && may('read:agent_error'),
  });
  const agents = useQuery({ ...agentsCalledQuery(id, wanted), enabled: asks && may('read:agent') });
  const tokens = useQuery({ ...tokensCalledQuery(id), enabled: asks && may('read:token') });
  const fleets = useQuery({ ...fleetsQuery(id), enabled: asks && may('read:fleet') });
  const counts = useQuery({ ...versionCountsQuery(id), enabled: asks && may('read:fleet') });
  const sites = useQuery({ ...sitesQuery(id), enabled: asks && may('read:core_instance') });
  const reported = useQuery({
    ...reportedFleetsQuery(id),
    enabled: asks && may('read:fleet') && may('read:agent'),
  });
  const queries = useQueryClient();
  const mayReadCauses = may('read:agent_error');
  const mayReadTokens = may('read:token');
  // A verb alone finds them at once.
  useEffect(() => {
    if (openings === 0 || id === '') return;
    if (mayReadCauses) void queries.prefetchQuery(causesCalledQuery(id, ''));
    if (mayReadTokens) void queries.prefetchQuery(tokensCalledQuery(id));
  }, [openings, id, queries, mayReadCauses, mayReadTokens]);
  if (!asks) return nothing;
  const params = { projectID };
  const foundFleets = fleetLines(called(wanted, fleets.data ?? []), counts.data ?? []);
  const foundTokens = called(wanted, tokens.data ?? []);
  const foundCauses = causes.data ?? [];
  const [fleet] = foundFleets;
  const toFleet = (fleetID: string) => ({
    to: '/projects/$projectID/fleets/$fleetID' as const,
    params: { ...params, fleetID },
  });
  const toCause = (causeID: string) => ({
    to: '/projects/$projectID/causes/$causeID' as const,
    params: { ...params, causeID },
  });
  const toAgentsOf = (one: { readonly id: string; readonly name: string; readonly agentsCount: number }) => ({
    ...lookOf('agents', paletteTexts.agentsOfFleet(one.agentsCount, one.name)),
    id: `agents of ${one.id}`,
    onClick: () => void navigate({ to: '/projects/$projectID/agents', params, search: { fleet: one.id } }),
  });
  const reportedFleets = namedFleets(reported.data?.fleets ?? []);
  const reportedFleet = reportedFleets.find(({ id: reportedID }) => reportedID === fleet?.fleet.id);
  // Next to the best one, so that an arrow key or two lead from it to them.
  const ofFleet: readonly SpotlightActionData[] =
    fleet === undefined || reportedFleet === undefined
      ? []
      : [
          ...(may('read:agent_error')
            ? [
                {
                  ...lookOf('causes', paletteTexts.causesOfFleet(fleet.fleet.name)),
                  id: 'causes of fleet',
                  onClick: () =>
                    void navigate({
                      to: '/projects/$projectID/causes',
                      params,
                      search: { fleet: fleet.fleet.id },
                    }),
                },
              ]
            : []),
          toAgentsOf(reportedFleet),
        ];
  const toToken = (tokenID: string) => ({
    to: '/projects/$projectID/tokens/$tokenID' as const,
    params: { ...params, tokenID },
  });
  const groups: SpotlightActionGroupData[] = [
    {
      group: appTexts.fleets,
      actions: foundFleets.flatMap((line) => [
        {
          ...lookOf('fleets', line.fleet.name),
          id: line.fleet.id,
          rightSection: counts.data && <FleetNow line={line} />,
          onClick: () => void navigate(toFleet(line.fleet.id)),
        },
        ...(line === fleet ? ofFleet : []),
      ]),
    },
    {
      group: appTexts.causes,
      actions: foundCauses.map((one) => ({
        ...lookOf('causes', nameOf(one)),
        id: one.id,
        rightSection: <span className="quiet number">{causesTexts.agentsOf(one.agentsCount)}</span>,
        onClick: () => void navigate(toCause(one.id)),
      })),
    },
    {
      group: appTexts.agents,
      actions: [
        ...(agents.data ?? []).map(({ id: agentID, name, status }) => ({
          ...lookOf('agents', name),
          id: agentID,
          rightSection: <AgentStatusBadge status={status} />,
          onClick: () =>
            void navigate({ to: '/projects/$projectID/agents/$agentID', params: { ...params, agentID } }),
        })),
        ...called(wanted, reportedFleets)
          .filter((one) => one !== reportedFleet)
          .map(toAgentsOf),
      ],
    },
    {
      group: appTexts.tokens,
      actions: foundTokens.map(({ id: tokenID, name }) => ({
        ...lookOf('tokens', name),
        id: tokenID,
        onClick: () => void navigate(toToken(tokenID)),
      })),
    },
    {
      group: appTexts.sites,
      actions: sitesCalled(wanted, sites.data ?? []).map((site) => ({
        ...lookOf('sites', site.name),
        id: site.id,
        rightSection: <SiteStatus site={site} />,
        onClick: () =>
          void navigate({ to: '/projects/$projectID/sites/$siteID', params: { ...params, siteID: site.id } }),
      })),
    },
  ];
  const edit = ({ id: fleetID, name }: { readonly id: string; readonly name: string }) => ({
    ...lookOf('fleets', paletteTexts.editFleet(name)),
    id: `edit ${fleetID}`,
    onClick: () => void navigate({ ...toFleet(fleetID), to: '/projects/$projectID/fleets/$fleetID/edit' }),
  });
  const mute = (one: AgentErrorGroup) => ({
    ...lookOf('muted', paletteTexts.muteCause(nameOf(one))),
    id: `mute ${one.id}`,
    onClick: () => void navigate({ ...toCause(one.id), state: opening('mute') }),
  });
  const dismiss = (one: AgentErrorGroup) => ({
    ...lookOf('causes', paletteTexts.dismissCause(nameOf(one))),
    id: `dismiss ${one.id}`,
    onClick: () => void navigate({ ...toCause(one.id), state: opening('dismiss') }),
  });
  const rotate = ({ id: tokenID, name }: { readonly id: string; readonly name: string }) => ({
    ...lookOf('tokens', paletteTexts.rotateToken(name)),
    id: `rotate ${tokenID}`,
    onClick: () => void navigate({ ...toToken(tokenID), state: opening('rotate') }),
  });
  const unmuted = (list: readonly AgentErrorGroup[]) => list.filter(({ mutedUntil }) => mutedUntil === null);
  const offers = [
    {
      verb: 'write',
      needs: 'update:fleet',
      best: foundFleets.slice(0, 1).map((line) => edit(line.fleet)),
      named: called(said?.name ?? '', fleets.data ?? []).map(edit),
    },
    {
      verb: 'mute',
      needs: 'update:agent_error',
      best: unmuted(foundCauses.slice(0, 1)).map(mute),
      named: unmuted(causesOfVerb.data ?? []).map(mute),
    },
    {
      verb: 'dismiss',
      needs: 'update:agent_error',
      best: foundCauses.slice(0, 1).map(dismiss),
      named: (causesOfVerb.data ?? []).map(dismiss),
    },
    {
      verb: 'rotate',
      needs: 'update:token',
      best: foundTokens.slice(0, 1).map(rotate),
      named: called(said?.name ?? '', tokens.data ?? []).map(rotate),
    },
  ] as const;
  const actions = offers.flatMap(({ verb, needs, best, named }) => {
    if (!may(needs)) return [];
    if (said === undefined) return best;
    return said.verb === verb ? named : [];
  });
  return { groups: bestKindFirst(groups, wanted), actions };
}

const verbs = ['write', 'mute', 'dismiss', 'rotate'] as const;
const minVerbLength = 3;

/** What somebody wants to do, and with what: `rotate edge`. */
function verbOf(wanted: string) {
  const [word = '', ...rest] = wanted.toLowerCase().split(/\s+/);
  const verb = word.length < minVerbLength ? undefined : verbs.find((one) => one.startsWith(word));
  return verb === undefined ? undefined : { verb, name: rest.join(' ') };
}

/** How an entry looks, whatever text of an agent it shows. */
export function lookOf(icon: IconName, label: string) {
  return {
    label: visibleText(label),
    leftSection: <Icon name={icon} size={16} />,
    dimmedSections: false,
  };
}

function nameOf(cause: AgentErrorGroup): string {
  return titleOfCause(cause) ?? cause.pattern.slice(0, 120);
}

/** Kinds of which one is called so before those that only contain what is typed. */
function bestKindFirst(groups: readonly SpotlightActionGroupData[], wanted: string) {
  const rankOf = ({ actions }: SpotlightActionGroupData) =>
    actions.some(({ label }) => label?.toLowerCase().startsWith(wanted.toLowerCase())) ? 0 : 1;
  return groups.toSorted((one, other) => rankOf(one) - rankOf(other));
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
