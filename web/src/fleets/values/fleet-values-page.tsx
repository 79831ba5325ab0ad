import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { ShownRow } from '../../live/merge-rows.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Page } from '../../parts/page.tsx';
import { useMay } from '../../session/use-may.ts';
import { DataTable } from '../../table/data-table.tsx';
import { useListRows } from '../../table/use-list-rows.ts';
import { fleetValuesTexts } from '../../texts/fleet-values.ts';
import { fleetsTexts } from '../../texts/fleets.ts';
import { fleetQuery } from '../fleet-queries.ts';
import { type FleetValue, type Scope, writtenAs } from './fleet-value.ts';
import { fleetValueColumns } from './fleet-value-columns.tsx';
import { fleetSecretsQuery, fleetVariablesQuery } from './fleet-value-queries.ts';
import { RemoveValueDialog } from './remove-value-dialog.tsx';
import { SetValueDialog } from './set-value-dialog.tsx';

const route = getRouteApi('/projects/$projectID/fleets/$fleetID/values');

/** What is open above the list. */
type Open =
  | { readonly kind: 'set'; readonly what: FleetValue | Scope }
  | { readonly kind: 'remove'; readonly value: FleetValue };

/** What names in the configurations of a fleet stand for: its secrets, and then its variables. */
export function FleetValuesPage() {
  const { projectID, fleetID } = route.useParams();
  const { data: fleet, error, refetch } = useQuery(fleetQuery(projectID, fleetID));
  const secrets = useQuery(fleetSecretsQuery(projectID, fleetID));
  const variables = useInfiniteQuery(fleetVariablesQuery(projectID, fleetID));
  const { table, takeInNext } = useListRows(variables, fleetID, ({ id }) => id);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const mayChange = useMay(projectID)('update:fleet');
  const columns = useMemo(
    () =>
      fleetValueColumns(projectID, (value) =>
        mayChange
          ? [
              { text: fleetValuesTexts.change, run: () => setOpen({ kind: 'set', what: value }) },
              {
                text: fleetValuesTexts.remove,
                isDangerous: true,
                run: () => setOpen({ kind: 'remove', value }),
              },
            ]
          : [],
      ),
    [projectID, mayChange],
  );
  const rows = useMemo(
    (): readonly ShownRow<FleetValue>[] | undefined =>
      secrets.data && table.rows && [...secrets.data.map((row) => ({ row, isGone: false })), ...table.rows],
    [secrets.data, table.rows],
  );
  const name = fleet?.name ?? fleetsTexts.fleet;
  const parent = (
    <Link to="/projects/$projectID/fleets/$fleetID" params={{ projectID, fleetID }}>
      {name}
    </Link>
  );
  if (error !== null && fleet === undefined)
    return (
      <Page title={fleetValuesTexts.title} parent={parent}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Page>
    );
  return (
    <Page
      title={fleetValuesTexts.titleOf(name)}
      heading={fleetValuesTexts.title}
      parent={parent}
      description={fleetValuesTexts.what}
      actions={
        mayChange && (
          <>
            <Button onClick={() => setOpen({ kind: 'set', what: 'vars' })}>
              {fleetValuesTexts.setVariable}
            </Button>
            <Button variant="default" onClick={() => setOpen({ kind: 'set', what: 'secrets' })}>
              {fleetValuesTexts.setSecret}
            </Button>
          </>
        )
      }
    >
      <DataTable
        {...table}
        rows={rows}
        error={table.error ?? secrets.error}
        onRetry={() => {
          table.onRetry();
          void secrets.refetch();
        }}
        idOf={idOf}
        label={fleetValuesTexts.title}
        columns={columns}
        nameOf={writtenAs}
        rowHeight={52}
        empty={
          <EmptyState
            title={fleetValuesTexts.none}
            text={mayChange ? fleetValuesTexts.noneText : fleetValuesTexts.noneForReaders}
          />
        }
      />
      {fleet !== undefined && open?.kind === 'set' && (
        <SetValueDialog fleet={fleet} what={open.what} onSet={takeInNext} onClose={close} />
      )}
      {fleet !== undefined && open?.kind === 'remove' && (
        <RemoveValueDialog fleet={fleet} value={open.value} onClose={close} />
      )}
    </Page>
  );
}

function idOf(value: FleetValue): string {
  return 'id' in value ? value.id : value.name;
}
