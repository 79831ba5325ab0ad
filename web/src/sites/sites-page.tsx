import { Button, Modal, Skeleton, Text } from '@mantine/core';
import type { CoreInstance } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { summaryQuery } from '../overview/overview-queries.ts';
import { Command } from '../parts/command.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import { useTime } from '../parts/use-time.ts';
import { useMay } from '../session/use-may.ts';
import { DataTable } from '../table/data-table.tsx';
import { sitesTexts } from '../texts/sites.ts';
import { siteColumns } from './site-columns.tsx';
import { sitesQuery } from './site-queries.ts';
import { sortSites, stateOf } from './site-state.ts';

const route = getRouteApi('/projects/$projectID/sites');

/** The sites of a project, the one that is furthest behind first. */
export function SitesPage() {
  const { projectID } = route.useParams();
  const navigate = useNavigate();
  const now = useTime();
  const may = useMay(projectID);
  // The command makes a project token that creates the site.
  const mayCreate = may('create:token') && may('create:core_instance');
  const [isAdding, setIsAdding] = useState(false);
  const { data: sites, error, refetch } = useQuery(sitesQuery(projectID));
  const columns = useMemo(() => siteColumns(projectID), [projectID]);
  const rows = useMemo(
    () => sites && sortSites(sites, now).map((row) => ({ row, isGone: false })),
    [sites, now],
  );
  return (
    <Page
      title={sitesTexts.title}
      description={<Totals sites={sites} />}
      actions={
        mayCreate &&
        sites !== undefined &&
        sites.length > 0 && <Button onClick={() => setIsAdding(true)}>{`${sitesTexts.add}…`}</Button>
      }
    >
      <DataTable
        label={sitesTexts.title}
        columns={columns}
        rows={rows}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        rowHeight={52}
        narrowRowHeight={80}
        error={error}
        onRetry={() => void refetch()}
        // What is worst stands first at all times, and sites are few: nothing waits to be shown.
        newCount={0}
        onTakeIn={() => undefined}
        onOpen={({ id: siteID }) =>
          void navigate({ to: '/projects/$projectID/sites/$siteID', params: { projectID, siteID } })
        }
        empty={
          <EmptyState title={sitesTexts.none} text={sitesTexts.noneText} command={sitesTexts.createCommand} />
        }
      />
      {sites !== undefined && sites.length > 0 && <Direct projectID={projectID} sites={sites} />}
      <Modal opened={isAdding} onClose={() => setIsAdding(false)} title={sitesTexts.add} size="lg">
        <Text size="sm" mb="sm">
          {sitesTexts.addText}
        </Text>
        <Command command={sitesTexts.createCommand} />
      </Modal>
    </Page>
  );
}

/** How many agents are behind no site. */
function Direct({
  projectID,
  sites,
}: {
  readonly projectID: string;
  readonly sites: readonly CoreInstance[];
}) {
  const may = useMay(projectID);
  const { data: summary } = useQuery({ ...summaryQuery(projectID), enabled: may('read:project') });
  if (summary === undefined) return null;
  const behind = sites.reduce((sum, { agentsCount }) => sum + agentsCount, 0);
  return (
    <Text size="xs" c="dimmed" mt="sm">
      {sitesTexts.direct(Math.max(0, summary.agentsCount - behind))}
    </Text>
  );
}

function Totals({ sites }: { readonly sites: readonly CoreInstance[] | undefined }) {
  if (sites === undefined) return <Skeleton height={16} width="24rem" maw="80vw" my={3} />;
  if (sites.length === 0) return sitesTexts.what;
  const inState = (wanted: string) => sites.filter((site) => stateOf(site) === wanted).length;
  return `${sitesTexts.what} ${sitesTexts.totals(sites.length, inState('unreachable'), inState('lagging'), inState('waiting'))}`;
}
