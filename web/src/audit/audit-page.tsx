import { Button } from '@mantine/core';
import type { AuditEntry } from '@muster/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import { rootURL } from '../service/root-url.ts';
import { projectsQuery } from '../session/session-queries.ts';
import { DataTable } from '../table/data-table.tsx';
import { useListRows } from '../table/use-list-rows.ts';
import { auditTexts } from '../texts/audit.ts';
import { auditColumns } from './audit-columns.tsx';
import { AuditEntryDialog } from './audit-entry-dialog.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { auditQuery } from './audit-queries.ts';
import { readAuditSearch } from './audit-search.ts';
import { auditSentenceText } from './audit-sentence.tsx';

/** Who changed what in a project, newest first; without a project, in the installation. */
export function AuditPage() {
  const { projectID } = useParams({ strict: false });
  const search = readAuditSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const query = useInfiniteQuery(auditQuery(projectID, search));
  const { table } = useListRows(query, JSON.stringify([projectID, search]), idOf);
  // Filters that let nothing through would leave no names to filter by.
  const { data: latest } = useInfiniteQuery(auditQuery(projectID, {}));
  const { data: projects } = useQuery(projectsQuery);
  const [opened, setOpened] = useState<AuditEntry>();
  const columns = useMemo(() => {
    const names = new Map(projects?.map(({ id, name }) => [id, name]));
    return auditColumns(setOpened, projectID === undefined ? (id) => names.get(id) ?? id : undefined);
  }, [projectID, projects]);
  const change = (changed: Readonly<Record<string, string | undefined>>) =>
    void navigate({
      to: '.',
      search: (before) => readAuditSearch({ ...before, ...changed }) as never, // the route of the screen reads it
      replace: true,
      resetScroll: false,
    });
  const entries = [
    ...(latest?.pages.flatMap(({ items }) => items) ?? []),
    ...(table.rows?.map(({ row }) => row) ?? []),
  ];
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page
      title={projectID === undefined ? auditTexts.installationTitle : auditTexts.title}
      description={projectID === undefined ? auditTexts.installationDescription : auditTexts.description}
      actions={
        <Button component="a" variant="default" href={exportAddress(projectID)} download={auditTexts.file}>
          {auditTexts.export}
        </Button>
      }
    >
      <AuditFilters projectID={projectID} search={search} entries={entries} onChange={change} />
      <DataTable
        {...table}
        label={auditTexts.title}
        columns={columns}
        nameOf={auditSentenceText}
        rowHeight={52}
        narrowRowHeight={72}
        onOpen={setOpened}
        empty={
          isFiltered ? (
            <EmptyState
              title={auditTexts.noMatch}
              text={search.actor === undefined ? auditTexts.noMatchText : auditTexts.noMatchOfActor}
            />
          ) : (
            <EmptyState
              title={auditTexts.empty}
              text={auditTexts.emptyText}
              command={auditTexts.emptyCommand}
            />
          )
        }
      />
      <AuditEntryDialog
        entry={opened}
        onClose={() => setOpened(undefined)}
        onFilter={(filter) => {
          setOpened(undefined);
          change({ ...filter });
        }}
      />
    </Page>
  );
}

function idOf({ id }: AuditEntry): string {
  return id;
}

/** The browser downloads it with its session, while the service sends it: a log may be large. */
function exportAddress(projectID: string | undefined): string {
  const path =
    projectID === undefined
      ? 'v1/audit_log/export'
      : `v1/projects/${encodeURIComponent(projectID)}/audit_log/export`;
  return new URL(path, rootURL).href;
}
