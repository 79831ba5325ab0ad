import { Button } from '@mantine/core';
import type { Agent } from '@muster/client';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useKeys } from '../../keys/use-keys.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { projectKey } from '../../service/query-client.ts';
import { useMay } from '../../session/use-may.ts';
import { DataTable } from '../../table/data-table.tsx';
import { useReadOnScreen, useRowsOnScreen } from '../../table/rows-on-screen.ts';
import { useListRows } from '../../table/use-list-rows.ts';
import { useSelection } from '../../table/use-selection.ts';
import { agentsTexts } from '../../texts/agents.ts';
import { keysTexts } from '../../texts/keys.ts';
import { agentsKey, agentsQuery } from '../agent-queries.ts';
import { agentColumns } from './agent-columns.tsx';
import { AgentFilters } from './agent-filters.tsx';
import { readAgentsSearch } from './agents-search.ts';
import { DeleteAgentsDialog } from './delete-agents-dialog.tsx';
import type { Deletion } from './deletion.ts';

const route = getRouteApi('/projects/$projectID/agents');

/** The agents of a project, the newest one first. */
export function AgentsPage() {
  const { projectID } = route.useParams();
  const search = route.useSearch({ select: readAgentsSearch });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const mayDelete = useMay(projectID)('delete:agent');
  const listKey = JSON.stringify([projectID, search]);
  const onScreen = useRowsOnScreen(idOf);
  const query = useInfiniteQuery(agentsQuery(projectID, search, onScreen));
  const onShown = useReadOnScreen(onScreen, query);
  const { table, takeInNext } = useListRows(query, listKey, idOf);
  const selection = useSelection(listKey);
  const columns = useMemo(() => agentColumns(projectID), [projectID]);
  const [deletion, setDeletion] = useState<Deletion>();
  const isFiltered = Object.keys(search).length > 0;
  const rows = table.rows ?? [];
  const deleteSelected = () => {
    const agents = rows.map(({ row }) => row).filter(({ id }) => selection.ids.has(id));
    if (agents.length > 0)
      setDeletion({ kind: 'chosen', agents: agents.map(({ id, name }) => ({ id, name })) });
  };
  useKeys(mayDelete ? [{ key: 'd', text: keysTexts.delete, run: deleteSelected }] : []);
  return (
    <Page
      title={agentsTexts.title}
      description={agentsTexts.description}
      actions={
        mayDelete &&
        isFiltered &&
        rows.length > 0 && (
          <Button variant="default" onClick={() => setDeletion({ kind: 'matching', search })}>
            {agentsTexts.deleteMatching}
          </Button>
        )
      }
    >
      <AgentFilters projectID={projectID} search={search} />
      <DataTable
        {...table}
        label={agentsTexts.title}
        columns={columns}
        nameOf={({ name }) => name}
        rowHeight={52}
        narrowRowHeight={68}
        selection={mayDelete ? selection : undefined}
        bar={
          <Button size="compact-sm" color="red.9" onClick={deleteSelected}>
            {agentsTexts.deleteSelected}
          </Button>
        }
        onShown={onShown}
        onOpen={({ id }) =>
          void navigate({ to: '/projects/$projectID/agents/$agentID', params: { projectID, agentID: id } })
        }
        empty={
          isFiltered ? (
            <EmptyState title={agentsTexts.noMatch} text={agentsTexts.noMatchText} />
          ) : (
            <EmptyState
              title={agentsTexts.none}
              text={agentsTexts.noneText}
              command={agentsTexts.noneCommand}
            />
          )
        }
      />
      <DeleteAgentsDialog
        projectID={projectID}
        deletion={deletion}
        onClose={() => setDeletion(undefined)}
        onDone={() => {
          takeInNext();
          selection.clear();
          // Not read again page by page, because pages that nobody sees would stay as they are.
          void queries.resetQueries({ queryKey: agentsKey(projectID) });
          void queries.invalidateQueries({ queryKey: projectKey(projectID) });
        }}
      />
    </Page>
  );
}

function idOf({ id }: Agent): string {
  return id;
}
