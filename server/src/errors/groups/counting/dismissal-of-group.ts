import { errorChangeKinds } from './error-changes.ts';

/** When a group was dismissed, completely or in part, and when it regressed after that. Times are milliseconds. */
export interface GroupDismissal {
  /** When the last current error was dismissed. Null while the group has a current error. */
  readonly dismissedAt: number | null;
  /** When some of its current errors were last dismissed. Null once an agent has one of them again, or all are dismissed. */
  readonly partlyDismissedAt: number | null;
  /**
   * When the first error was created after a complete dismissal, or after one was requested during which agents went on reporting it, or when an agent whose error
   * was dismissed got one again. Null again once all errors are dismissed.
   */
  readonly regressedAt: number | null;
  /** What `regressedAt` was before its errors were last dismissed. */
  readonly regressedBefore: number | null;
}

/** One change of one error. Changes come in the order in which they happened. */
export interface OrderedChange {
  readonly kind: number;
  readonly opened: number;
  /** Whether nothing that was counted before shows that the agent had left the configuration of the error. */
  readonly isCurrent: boolean;
  /** Whether it was created open, and the agent has this configuration by now, whatever is counted yet. */
  readonly isCreatedCurrent: boolean;
  /** Whether it was created, and its agent had an error of the group before that a person or a token had dismissed, and not the service. */
  readonly hadDismissed: boolean;
  /** When the error was created or dismissed. Null: the service itself dismissed it. */
  readonly at: number | null;
}

/** @param currentErrors the current errors of the group after the changes */
export function followDismissal(
  before: GroupDismissal,
  changes: readonly OrderedChange[],
  currentErrors: number,
): GroupDismissal {
  let { dismissedAt, partlyDismissedAt, regressedAt, regressedBefore } = before;
  const counts = countsAfter(changes, currentErrors);
  for (const [index, change] of changes.entries()) {
    const { kind, opened, isCurrent, isCreatedCurrent, hadDismissed, at } = change;
    switch (kind) {
      case errorChangeKinds.dismissed:
        // The service dismisses only what is superseded.
        if (at === null) break;
        if (counts[index] === 0) {
          if (dismissedAt !== at && partlyDismissedAt !== at) regressedBefore = regressedAt;
          dismissedAt = at;
          partlyDismissedAt = null;
          regressedAt = null;
        } else if (isCurrent && at >= (regressedAt ?? 0)) {
          // Not what a dismissal does after an error has come back to which it was asked for.
          if (partlyDismissedAt !== at) regressedBefore = regressedAt;
          partlyDismissedAt = at;
        }
        break;
      case errorChangeKinds.reopened:
        // The others stay dismissed.
        partlyDismissedAt ??= dismissedAt;
        dismissedAt = null;
        break;
      case errorChangeKinds.outlived:
        if (at !== null && dismissedAt === null && (counts[index] ?? 0) > 0 && (regressedAt ?? 0) < at)
          regressedAt = at;
        partlyDismissedAt = null;
        break;
      case errorChangeKinds.undone:
        // What came back while it was dismissed has never been gone.
        if (at === null || dismissedAt !== null) break;
        if (partlyDismissedAt === at || (regressedAt ?? -1) >= at) {
          regressedAt = (regressedBefore ?? at) < at ? regressedBefore : null;
          regressedBefore = regressedAt;
        }
        if (partlyDismissedAt === at) partlyDismissedAt = null;
        break;
      case errorChangeKinds.created:
        // An error that was stored as dismissed has no effect, and none that was moved here with its group.
        if (opened === 1 && at !== null && dismissedAt !== null && at >= dismissedAt) {
          regressedAt = at;
          dismissedAt = null;
        } else if (isCreatedCurrent && dismissedAt !== null) {
          // It happened before, and a core instance has passed it on since. The others stay dismissed.
          partlyDismissedAt ??= dismissedAt;
          dismissedAt = null;
        } else if (
          opened === 1 &&
          at !== null &&
          hadDismissed &&
          partlyDismissedAt !== null &&
          at >= partlyDismissedAt
        ) {
          regressedAt = at;
          partlyDismissedAt = null;
        }
        break;
    }
  }
  return { dismissedAt, partlyDismissedAt, regressedAt, regressedBefore };
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
