import { errorChangeKinds } from './error-changes.ts';

/** When a group was completely dismissed, and when it regressed after that. Times are milliseconds. */
export interface GroupDismissal {
  /** When the last current error was dismissed. Null while the group has a current error. */
  readonly dismissedAt: number | null;
  /**
   * When the first error was created after that, or after a dismissal of all errors was requested during which agents went on reporting it. Null again once all errors
   * are dismissed.
   */
  readonly regressedAt: number | null;
}

/** One change of one error. Changes come in the order in which they happened. */
export interface OrderedChange {
  readonly kind: number;
  readonly opened: number;
  /** Whether the agent still runs the configuration of the error. */
  readonly isCurrent: boolean;
  /** When the error was created or dismissed. */
  readonly at: number | null;
}

/** @param currentErrors the current errors of the group after the changes */
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
      case errorChangeKinds.outlived:
        if (at !== null && dismissedAt === null && (counts[index] ?? 0) > 0 && (regressedAt ?? 0) < at)
          regressedAt = at;
        break;
      case errorChangeKinds.created:
        // An error that was stored as dismissed has no effect. A copied error was created earlier.
        if (opened === 1 && at !== null && dismissedAt !== null && at >= dismissedAt) {
          regressedAt = at;
          dismissedAt = null;
        }
        break;
    }
  }
  return { dismissedAt, regressedAt };
}

/** The number of current errors after each change, calculated backwards from the last one. */
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
