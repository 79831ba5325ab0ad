import type { Dismissal, DismissalFilter } from '@muster/client';
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
        const undone = await undo(id);
        onChange();
        await readAgain(queries, projectID);
        showDone(describeUndo(undone));
      });
    },
    /** @returns what it did, in words */
    async undo(dismissalID: string): Promise<string> {
      const undone = await undo(dismissalID);
      await readAgain(queries, projectID);
      return describeUndo(undone);
    },
  };
}

/** In the numbers of the audit log. */
function describeUndo({ state, agentsCount, undo: done }: Dismissal): string {
  const { reopenedCount = 0, notReopenedCount = 0 } = done ?? {};
  if (state !== 'undone') return causesTexts.reopening(reopenedCount);
  return notReopenedCount === 0
    ? causesTexts.reopened(reopenedCount, agentsCount)
    : causesTexts.reopenedSome(reopenedCount, notReopenedCount);
}

function readAgain(queries: QueryClient, projectID: string): Promise<void> {
  return queries.invalidateQueries({ queryKey: projectKey(projectID) });
}
