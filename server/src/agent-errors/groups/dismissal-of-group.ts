import { errorChangeKinds } from './error-changes.ts';

/** Whether a group is wholly dismissed, and whether it came back after that; milliseconds. */
export interface GroupDismissal {
  /** When the last current error was dismissed; null while there is one, and after one was created or reopened. */
  readonly dismissedAt: number | null;
  /** When the first error was created after that; null from the next time on that all are dismissed. */
  readonly regressedAt: number | null;
}

/** One change of one error, in the order in which they happened. */
export interface OrderedChange {
  readonly kind: number;
  readonly opened: number;
  /** Whether its agent still has the configuration of the error. */
  readonly isCurrent: boolean;
  /** When it was created or dismissed. */
  readonly at: number | null;
}

/** @param currentErrors of the group after the changes */
export function followDismissal(
  before: GroupDismissal,
  changes: readonly OrderedChange[],
  currentErrors: number,
): GroupDismissal {
  let { dismissedAt, regressedAt } = before;
  const counts = countsAfter(changes, currentErrors);
  for (const [index, { kind, opened, at }] of changes.entries()) {
    switch (kind) {
      case errorChangeKinds.dismissed:
        if (counts[index] === 0) {
          dismissedAt = at;
          regressedAt = null;
        }
        break;
      case errorChangeKinds.reopened:
        dismissedAt = null;
        break;
      case errorChangeKinds.created:
        // One that was stored as dismissed changes nothing; one that comes with a copy was created before.
        if (opened === 1 && at !== null && dismissedAt !== null && at >= dismissedAt) {
          regressedAt = at;
          dismissedAt = null;
        }
        break;
    }
  }
  return { dismissedAt, regressedAt };
}

/** How many current errors there were after each change, counted back from the last one. */
function countsAfter(changes: readonly OrderedChange[], currentErrors: number): number[] {
  const counts = new Array<number>(changes.length);
  let count = currentErrors;
  for (let index = changes.length - 1; index >= 0; index -= 1) {
    counts[index] = count;
    const change = changes[index];
    if (change?.isCurrent) count -= change.opened;
  }
  return counts;
}
