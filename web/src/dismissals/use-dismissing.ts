import type { DismissalFilter } from '@muster/client';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { showDone, showUndoable } from '../parts/toasts.tsx';
import { projectKey } from '../service/query-client.ts';
import { causesTexts } from '../texts/causes.ts';
import { dismiss, undo } from './dismissal-queries.ts';

/** Dismisses errors and offers to undo it. Every screen of the project is read again after both. */
export function useDismissing(projectID: string) {
  const queries = useQueryClient();
  return {
    async dismiss(filter: DismissalFilter, reason: string, onChange: () => void): Promise<void> {
      const { id, state, errorsCount } = await dismiss(projectID, { filter, reason });
      onChange();
      void readAgain(queries, projectID);
      const message =
        state === 'running' ? causesTexts.dismissing(errorsCount) : causesTexts.dismissed(errorsCount);
      showUndoable(message, async () => {
        await undo(id);
        onChange();
        await readAgain(queries, projectID);
        showDone(causesTexts.undone);
      });
    },
    async undo(dismissalID: string): Promise<void> {
      await undo(dismissalID);
      await readAgain(queries, projectID);
    },
  };
}

function readAgain(queries: QueryClient, projectID: string): Promise<void> {
  return queries.invalidateQueries({ queryKey: projectKey(projectID) });
}
