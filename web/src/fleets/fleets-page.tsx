import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useArrival } from '../app/use-arrival.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import { RolloutsSection } from '../rollouts/rollouts-section.tsx';
import { rootURL } from '../service/root-url.ts';
import { useMay } from '../session/use-may.ts';
import { DataTable } from '../table/data-table.tsx';
import { fleetsTexts } from '../texts/fleets.ts';
import { agentLines } from './agent-lines.ts';
import { CreateFleetDialog } from './create-fleet-dialog.tsx';
import { fleetColumns } from './fleet-columns.tsx';
import { versionCountsQuery } from './fleet-queries.ts';
import { fleetsQuery, type ListedFleet } from './fleets-query.ts';
import { ReportedFleets } from './reported-fleets.tsx';
import { type FleetLine, fleetLines } from './who-runs-what.ts';

const route = getRouteApi('/projects/$projectID/fleets');

/** The fleets of a project, the one in which something is wrong first. */
export function FleetsPage() {
  const { projectID } = route.useParams();
  const navigate = useNavigate();
  const mayCreate = useMay(projectID)('create:fleet');
  const [isCreating, setIsCreating] = useState(false);
  const create = useCallback(() => setIsCreating(true), []);
  useArrival('create', create);
  const fleets = useQuery(fleetsQuery(projectID));
  const counts = useQuery(versionCountsQuery(projectID));
  const columns = useMemo(() => fleetColumns(projectID), [projectID]);
  const lines = useMemo(
    () => fleets.data && counts.data && fleetLines(fleets.data, counts.data),
    [fleets.data, counts.data],
  );
  const button = mayCreate && <Button onClick={create}>{`${fleetsTexts.create}…`}</Button>;
  return (
    <Page
      title={fleetsTexts.title}
      description={<Totals lines={lines} />}
      actions={lines !== undefined && lines.length > 0 && button}
    >
      <DataTable
        label={fleetsTexts.title}
        columns={columns}
        rows={lines?.map((row) => ({ row, isGone: false }))}
        idOf={idOf}
        nameOf={({ fleet }) => fleet.name}
        rowHeight={56}
        narrowRowHeight={76}
        error={fleets.error ?? counts.error}
        onRetry={() => void Promise.all([fleets.refetch(), counts.refetch()])}
        // What is worst stands first at all times, and fleets are few: nothing waits to be shown.
        newCount={0}
        onTakeIn={() => undefined}
        onOpen={({ fleet: { id: fleetID } }) =>
          void navigate({ to: '/projects/$projectID/fleets/$fleetID', params: { projectID, fleetID } })
        }
        empty={
          mayCreate ? (
            <EmptyState
              title={fleetsTexts.none}
              text={fleetsTexts.noneText}
              command={agentLines(rootURL, 'edge')}
              action={button}
            />
          ) : (
            <EmptyState title={fleetsTexts.title} text={fleetsTexts.noneForReaders} />
          )
        }
      />
      <ReportedFleets projectID={projectID} served={fleets.data} />
      <RolloutsSection projectID={projectID} />
      {isCreating && <CreateFleetDialog projectID={projectID} onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

function idOf({ fleet: { id } }: FleetLine<ListedFleet>): string {
  return id;
}

function Totals({ lines }: { readonly lines: readonly FleetLine<ListedFleet>[] | undefined }) {
  if (lines === undefined) return <Skeleton height={16} width="24rem" maw="80vw" my={3} />;
  const sum = (name: 'driftedCount' | 'rejectedCount' | 'behindCount') =>
    lines.reduce((total, { who }) => total + who[name], 0);
  return `${fleetsTexts.what} ${fleetsTexts.totals(sum('driftedCount'), sum('rejectedCount'), sum('behindCount'))}`;
}
