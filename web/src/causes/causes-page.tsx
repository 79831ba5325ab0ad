import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { AgentErrorGroup, DismissalFilter, Page as ListPage } from '@muster/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { DismissDialog } from '../dismissals/dismiss-dialog.tsx';
import { dismissalPreviewQuery } from '../dismissals/dismissal-queries.ts';
import { useKeys } from '../keys/use-keys.ts';
import { summaryQuery } from '../overview/overview-queries.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { formatDuration } from '../parts/format-duration.ts';
import { Page } from '../parts/page.tsx';
import { useMay } from '../session/use-may.ts';
import { isNoSite, NoSuchSite } from '../sites/site-filter.tsx';
import { DataTable } from '../table/data-table.tsx';
import { KeyHint } from '../table/selection-bar.tsx';
import { useListRows } from '../table/use-list-rows.ts';
import { useSelection } from '../table/use-selection.ts';
import { causesTexts } from '../texts/causes.ts';
import { keysTexts } from '../texts/keys.ts';
import { causeColumns } from './cause-columns.tsx';
import { CauseFilters } from './cause-filters.tsx';
import { causesQuery } from './cause-queries.ts';
import { type CauseState, type CausesSearch, readCausesSearch } from './causes-search.ts';
import { errorsOfChosen, matchingErrors } from './matching-errors.ts';
import { AssignDialog } from './notes/assign-dialog.tsx';
import { MuteDialog } from './story/mute-dialog.tsx';

/** In a storm, counts are up to three seconds old. */
const maxUsualAgeMilliseconds = 5_000;

interface ListOfCauses {
  readonly data: { readonly pages: readonly ListPage<AgentErrorGroup>[] } | undefined;
  readonly dataUpdatedAt: number;
}

const route = getRouteApi('/projects/$projectID/causes');

/** The causes of a project's errors, the one on the most agents first. */
export function CausesPage() {
  const { projectID } = route.useParams();
  const search = route.useSearch({ select: readCausesSearch });
  const navigate = useNavigate();
  const may = useMay(projectID);
  const mayDismiss = may('update:agent_error') && !isPast(search.state);
  const { data: summary } = useQuery({ ...summaryQuery(projectID), enabled: may('read:project') });
  const listKey = JSON.stringify([projectID, search]);
  const query = useInfiniteQuery(causesQuery(projectID, search));
  const { table, takeInNext } = useListRows(query, listKey, idOf);
  const selection = useSelection(listKey, table.rows?.map(({ row }) => row.id) ?? []);
  const hasAssignees = table.rows?.some(({ row }) => row.assignee !== null) ?? false;
  const columns = useMemo(() => causeColumns(projectID, hasAssignees), [projectID, hasAssignees]);
  const [dismissing, setDismissing] = useState<DismissalFilter>();
  const [assigning, setAssigning] = useState<readonly AgentErrorGroup[]>();
  const [muting, setMuting] = useState<readonly AgentErrorGroup[]>();
  const selected = (table.rows ?? []).map(({ row }) => row).filter(({ id }) => selection.ids.has(id));
  const concerned = useConcerned(projectID, search, isOpenOfAll(search) ? [...selection.ids] : []);
  const isFiltered = [search.q, search.fleet, search.site, search.state].some((one) => one !== undefined);
  const dismissSelected = () => {
    if (selected.length > 0) setDismissing(errorsOfChosen(search, [...selection.ids]));
  };
  const assignSelected = () => {
    if (selected.length > 0) setAssigning(selected);
  };
  const canMute = selected.some(({ mutedUntil }) => mutedUntil === null);
  const muteSelected = () => {
    if (canMute) setMuting(selected);
  };
  useKeys(
    mayDismiss
      ? [
          { key: 'a', text: keysTexts.assign, run: assignSelected },
          { key: 'd', text: keysTexts.dismiss, run: dismissSelected },
          { key: 'm', text: keysTexts.muteSelected, run: muteSelected },
        ]
      : [],
  );
  return (
    <Page
      title={causesTexts.title}
      description={`${
        summary === undefined
          ? causesTexts.description
          : causesTexts.totals(
              summary.openGroupsCount,
              summary.agentsByStatus.unhealthy,
              summary.newGroupsCount.lastHour,
            )
      } ${describeLateCounts(query)}`.trimEnd()}
      actions={
        <>
          <Button component={Link} to={`/projects/${projectID}/dismissals`} variant="default">
            {causesTexts.toDismissals}
          </Button>
          {mayDismiss && search.site === undefined && (table.rows?.length ?? 0) > 0 && (
            <Button variant="default" onClick={() => setDismissing(matchingErrors(search))}>
              {causesTexts.dismissMatching}
            </Button>
          )}
        </>
      }
    >
      <CauseFilters projectID={projectID} search={search} openCount={summary?.openGroupsCount} />
      {isNoSite(table.error) ? (
        <NoSuchSite />
      ) : (
        <DataTable
          {...table}
          label={causesTexts.title}
          columns={columns}
          nameOf={({ pattern }) => pattern}
          rowHeight={56}
          narrowRowHeight={108}
          selection={mayDismiss ? selection : undefined}
          concerned={concerned}
          bar={
            <>
              <Button
                size="compact-sm"
                variant="default"
                onClick={assignSelected}
                rightSection={<KeyHint>A</KeyHint>}
              >
                {causesTexts.assign}
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                onClick={muteSelected}
                disabled={!canMute}
                rightSection={<KeyHint>M</KeyHint>}
              >
                {causesTexts.muteSelected}
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                onClick={dismissSelected}
                rightSection={<KeyHint>D</KeyHint>}
              >
                {causesTexts.dismissSelected}
              </Button>
            </>
          }
          sort={search.sort ?? 'agents'}
          onSort={(sort) =>
            void navigate({
              to: '.',
              search: readCausesSearch({ ...search, sort }),
              replace: true,
              resetScroll: false,
            })
          }
          onOpen={({ id }) =>
            void navigate({ to: '/projects/$projectID/causes/$causeID', params: { projectID, causeID: id } })
          }
          empty={
            isFiltered ? (
              <EmptyState title={causesTexts.noMatch} text={causesTexts.noMatchText} />
            ) : (
              <EmptyState
                title={causesTexts.none}
                text={causesTexts.noneText}
                command={causesTexts.noneCommand}
              />
            )
          }
        />
      )}
      <AssignDialog
        projectID={projectID}
        causes={assigning}
        onClose={() => setAssigning(undefined)}
        onDone={selection.clear}
      />
      <MuteDialog
        projectID={projectID}
        causes={muting}
        onClose={() => setMuting(undefined)}
        onDone={() => {
          takeInNext();
          selection.clear();
        }}
      />
      <DismissDialog
        projectID={projectID}
        filter={dismissing}
        causes={dismissing?.groupIDs === undefined ? [] : selected}
        onClose={() => setDismissing(undefined)}
        onDone={() => {
          takeInNext();
          selection.clear();
        }}
      />
    </Page>
  );
}

const choosingMilliseconds = 150;

/** Only then the agents of a cause are those on which it would be dismissed. */
function isOpenOfAll({ state, fleet, site }: CausesSearch): boolean {
  return !isPast(state) && fleet === undefined && site === undefined;
}

/** How many agents have an error of the chosen causes, each counted once, whichever it has. */
function useConcerned(
  projectID: string,
  search: CausesSearch,
  chosen: readonly string[],
): string | undefined {
  const [groupIDs] = useDebouncedValue(chosen.join(' '), choosingMilliseconds);
  const { data } = useQuery({
    ...dismissalPreviewQuery(projectID, errorsOfChosen(search, groupIDs.split(' '))),
    enabled: groupIDs !== '',
    meta: { topics: ['causes', 'dismissals'] },
  });
  return groupIDs === chosen.join(' ') && data !== undefined
    ? causesTexts.agentsOf(data.agentsCount)
    : undefined;
}

/** Nothing is left to dismiss, or it is muted because nobody wants to be told. */
function isPast(state: CauseState | undefined): boolean {
  return state === 'dismissed' || state === 'muted';
}

/** When the list was read, and not now: it is only read again when something has changed. */
function describeLateCounts({ data, dataUpdatedAt }: ListOfCauses): string {
  const countedAt = (data?.pages ?? []).flatMap(({ items }) => items.map((one) => Date.parse(one.countedAt)));
  const age = dataUpdatedAt - Math.min(dataUpdatedAt, ...countedAt);
  return age > maxUsualAgeMilliseconds ? causesTexts.lateCounts(formatDuration(Math.floor(age / 1_000))) : '';
}

function idOf({ id }: AgentErrorGroup): string {
  return id;
}
