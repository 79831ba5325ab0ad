import { Button, Skeleton } from '@mantine/core';
import type { Agent } from '@muster/client';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useKeys } from '../../keys/use-keys.ts';
import { summaryQuery, widestCausesQuery } from '../../overview/overview-queries.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Page } from '../../parts/page.tsx';
import { projectKey } from '../../service/query-client.ts';
import { useMay } from '../../session/use-may.ts';
import { isNoSite, NoSuchSite } from '../../sites/site-filter.tsx';
import { DataTable } from '../../table/data-table.tsx';
import { useReadOnScreen, useRowsOnScreen } from '../../table/rows-on-screen.ts';
import { useListRows } from '../../table/use-list-rows.ts';
import { useSelection } from '../../table/use-selection.ts';
import { agentsTexts } from '../../texts/agents.ts';
import { keysTexts } from '../../texts/keys.ts';
import { agentsKey, agentsQuery } from '../agent-queries.ts';
import { agentColumns } from './agent-columns.tsx';
import { AgentFilters } from './agent-filters.tsx';
import { AgentsByWrong } from './agents-by-wrong.tsx';
import { isSearch, readAgentsSearch } from './agents-search.ts';
import { chosenOf } from './chosen-of.ts';
import { DeleteAgentsDialog } from './delete-agents-dialog.tsx';
import type { Deletion } from './deletion.ts';
import { SelectionActions, useMayActOnAgents } from './selection-actions.tsx';

const route = getRouteApi('/projects/$projectID/agents');

/** The agents of a project: below what is wrong with them, or in one list, the newest one first. */
export function AgentsPage() {
  const { projectID } = route.useParams();
  const search = route.useSearch({ select: readAgentsSearch });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const may = useMay(projectID);
  const mayDelete = may('delete:agent');
  const mayAct = useMayActOnAgents(projectID);
  const mayGroup = may('read:project') && may('read:agent_error');
  const isGrouped = mayGroup && search.group !== 'none' && !isSearch(search);
  const { data: summary, error, refetch } = useQuery({ ...summaryQuery(projectID), enabled: mayGroup });
  const { data: causes } = useQuery({ ...widestCausesQuery(projectID), enabled: mayGroup });
  const listKey = JSON.stringify([projectID, search]);
  const onScreen = useRowsOnScreen(idOf);
  const query = useInfiniteQuery({
    ...agentsQuery(projectID, search, onScreen),
    enabled: !isGrouped,
  });
  const onShown = useReadOnScreen(onScreen, query);
  const { table, takeInNext } = useListRows(query, listKey, idOf);
  const selection = useSelection(listKey, isGrouped ? undefined : table.rows?.map(({ row }) => row.id));
  const columns = useMemo(() => agentColumns(projectID), [projectID]);
  const [deletion, setDeletion] = useState<Deletion>();
  const isFiltered = isSearch(search) || search.status !== undefined;
  const rows = table.rows ?? [];
  const chosen = chosenOf(rows, selection.ids);
  const selected = { ...selection, ids: new Set(chosen.map(({ id }) => id)) };
  const deleteSelected = () => {
    if (chosen.length > 0) setDeletion({ kind: 'chosen', agents: chosen });
  };
  useKeys(mayDelete && !isGrouped ? [{ key: 'd', text: keysTexts.delete, run: deleteSelected }] : []);
  const readAgain = () => {
    takeInNext();
    selection.clear();
    // Not read again page by page, because pages that nobody sees would stay as they are.
    void queries.resetQueries({ queryKey: agentsKey(projectID) });
    void queries.invalidateQueries({ queryKey: projectKey(projectID) });
  };
  const noAgents = (
    <EmptyState title={agentsTexts.none} text={agentsTexts.noneText} command={agentsTexts.noneCommand} />
  );
  return (
    <Page
      title={agentsTexts.title}
      description={
        summary === undefined
          ? agentsTexts.description
          : agentsTexts.totals({
              ...summary.agentsByStatus,
              all: summary.agentsCount,
              causes: summary.openGroupsCount,
            })
      }
      actions={
        mayDelete &&
        !isGrouped &&
        isFiltered &&
        search.site === undefined &&
        rows.length > 0 && (
          <Button variant="default" onClick={() => setDeletion({ kind: 'matching', search })}>
            {agentsTexts.deleteMatching}
          </Button>
        )
      }
    >
      <AgentFilters
        projectID={projectID}
        search={search}
        summary={summary}
        mayGroup={mayGroup && !isSearch(search)}
      />
      {isGrouped ? (
        summary !== undefined && causes !== undefined ? (
          summary.agentsCount === 0 ? (
            noAgents
          ) : (
            <AgentsByWrong
              projectID={projectID}
              summary={summary}
              causes={causes}
              status={search.status}
              selection={selection}
              onDelete={mayDelete ? setDeletion : undefined}
            />
          )
        ) : error !== null ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton height={480} />
        )
      ) : isNoSite(table.error) ? (
        <NoSuchSite />
      ) : (
        <DataTable
          {...table}
          label={agentsTexts.title}
          columns={columns}
          nameOf={({ name }) => name}
          rowHeight={52}
          narrowRowHeight={68}
          selection={mayAct ? selected : undefined}
          bar={
            <SelectionActions
              projectID={projectID}
              agents={chosen}
              onDelete={mayDelete ? deleteSelected : undefined}
              onMoved={readAgain}
            />
          }
          onShown={onShown}
          onOpen={({ id }) =>
            void navigate({ to: '/projects/$projectID/agents/$agentID', params: { projectID, agentID: id } })
          }
          empty={
            isFiltered ? <EmptyState title={agentsTexts.noMatch} text={agentsTexts.noMatchText} /> : noAgents
          }
        />
      )}
      <DeleteAgentsDialog
        projectID={projectID}
        deletion={deletion}
        onClose={() => setDeletion(undefined)}
        onDone={readAgain}
      />
    </Page>
  );
}

function idOf({ id }: Agent): string {
  return id;
}
