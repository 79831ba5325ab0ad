import type { AgentErrorGroup } from '@muster/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import { DataTable } from '../table/data-table.tsx';
import { NewsBar } from '../table/news-bar.tsx';
import { useListRows } from '../table/use-list-rows.ts';
import { causesTexts } from '../texts/causes.ts';
import { causeColumns } from './cause-columns.tsx';
import { CauseFilters } from './cause-filters.tsx';
import { causesQuery } from './cause-queries.ts';

const route = getRouteApi('/projects/$projectID/causes');

/** The causes of a project's errors, the one that was seen last first. */
export function CausesPage() {
  const { projectID } = route.useParams();
  const search = route.useSearch();
  const query = useInfiniteQuery(causesQuery(projectID, search));
  const { table, newCount, takeIn } = useListRows(query, JSON.stringify([projectID, search]), idOf);
  const columns = useMemo(() => causeColumns(projectID), [projectID]);
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title={causesTexts.title} description={causesTexts.description}>
      <CauseFilters search={search} />
      <NewsBar newCount={newCount} onTakeIn={takeIn} />
      <DataTable
        {...table}
        label={causesTexts.title}
        columns={columns}
        nameOf={({ pattern }) => pattern}
        rowHeight={56}
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
    </Page>
  );
}

function idOf({ id }: AgentErrorGroup): string {
  return id;
}
