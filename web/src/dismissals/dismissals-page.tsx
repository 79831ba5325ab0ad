import type { Dismissal } from '@muster/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import { showDone } from '../parts/toasts.tsx';
import { useMay } from '../session/use-may.ts';
import { DataTable } from '../table/data-table.tsx';
import { useListRows } from '../table/use-list-rows.ts';
import { dismissalsTexts } from '../texts/dismissals.ts';
import { dismissalColumns } from './dismissal-columns.tsx';
import { dismissalsQuery } from './dismissal-queries.ts';
import { useDismissing } from './use-dismissing.ts';

const route = getRouteApi('/projects/$projectID/dismissals');

/** What was dismissed together, newest first, each with its undo. */
export function DismissalsPage() {
  const { projectID } = route.useParams();
  const mayUndo = useMay(projectID)('update:agent_error');
  const query = useInfiniteQuery(dismissalsQuery(projectID));
  const { table } = useListRows(query, projectID, idOf);
  const [asked, setAsked] = useState<Dismissal>();
  const { undo } = useDismissing(projectID);
  const columns = useMemo(
    () => dismissalColumns(projectID, mayUndo ? setAsked : undefined),
    [projectID, mayUndo],
  );
  return (
    <Page
      title={dismissalsTexts.title}
      description={dismissalsTexts.description}
      parent={
        <Link to="/projects/$projectID/causes" params={{ projectID }}>
          {dismissalsTexts.toCauses}
        </Link>
      }
    >
      <DataTable
        {...table}
        label={dismissalsTexts.title}
        columns={columns}
        nameOf={({ reason }) => reason}
        rowHeight={52}
        empty={
          <EmptyState
            title={dismissalsTexts.none}
            text={dismissalsTexts.noneText}
            command={dismissalsTexts.noneCommand}
          />
        }
      />
      <ConfirmDialog
        isOpen={asked !== undefined}
        title={dismissalsTexts.undoTitle}
        confirm={dismissalsTexts.undo}
        onConfirm={async () => {
          if (asked === undefined) return;
          showDone(await undo(asked.id));
        }}
        onClose={() => setAsked(undefined)}
      >
        {dismissalsTexts.undoText(asked?.errorsCount ?? 0)}
      </ConfirmDialog>
    </Page>
  );
}

function idOf({ id }: Dismissal): string {
  return id;
}
