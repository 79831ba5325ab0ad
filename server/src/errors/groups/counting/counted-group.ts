import type { CountedGroup } from '../../../foundation/counted-portion.ts';
import { followDismissal, type GroupDismissal, type OrderedChange } from './dismissal-of-group.ts';
import type { GroupCounts } from './error-changes.ts';

/** The columns of a group that the counter writes, as both engines return them. */
export interface GroupRow {
  readonly id: string;
  readonly project_id: string;
  readonly counted_at: number | null;
  /** Null: the group is not stored yet. */
  readonly first_seen_at: number | null;
  readonly dismissed_at: number | null;
  readonly partly_dismissed_at: number | null;
  readonly regressed_at: number | null;
  readonly regressed_before: number | null;
  readonly current_errors: number;
}

/** The changes in a portion to the errors of a group, of all agents together. */
export interface GroupTally {
  readonly created: number;
  readonly muted: number;
  readonly dismissed: number;
  readonly reopened: number;
  /** Dismissals that newer errors have outlived, or that are undone. */
  readonly dismissals: number;
  readonly occurrences: number;
  /** When the earliest new error was reported. */
  readonly firstAt: number | null;
  /** When the latest error was reported. */
  readonly seenAt: number | null;
  readonly newestErrorID: string | null;
}

export const nothingCounted: Omit<GroupTally, 'newestErrorID'> = {
  created: 0,
  muted: 0,
  dismissed: 0,
  reopened: 0,
  dismissals: 0,
  occurrences: 0,
  firstAt: null,
  seenAt: null,
};

/** Whether the order of the changes matters: only if errors of the group were dismissed, or may be now, or it has outlived that, or it is undone. */
export function needsOrder(row: GroupRow, { created, dismissed, reopened, dismissals }: GroupTally): boolean {
  return (
    dismissed + dismissals > 0 ||
    (row.dismissed_at !== null && created + reopened > 0) ||
    (row.partly_dismissed_at !== null && created > 0)
  );
}

/** Whether an error was passed on that happened before all others of the group. */
export function beginsEarlier({ first_seen_at }: GroupRow, { firstAt }: GroupTally): boolean {
  return firstAt !== null && first_seen_at !== null && firstAt < first_seen_at;
}

export interface GroupChange {
  readonly dismissal: GroupDismissal;
  readonly counted: CountedGroup;
}

/** @param counts the changes to the counts of the group */
export function countGroup(
  row: GroupRow,
  tally: GroupTally,
  counts: GroupCounts,
  ordered: readonly OrderedChange[],
): GroupChange {
  const before = {
    dismissedAt: row.dismissed_at,
    partlyDismissedAt: row.partly_dismissed_at,
    regressedAt: row.regressed_at,
    regressedBefore: row.regressed_before,
  };
  const dismissal = followDismissal(before, ordered, row.current_errors + counts.currentErrors);
  return {
    dismissal,
    counted: {
      groupID: row.id,
      projectID: row.project_id,
      isNew: row.counted_at === null && tally.created + tally.muted > 0,
      createdCount: tally.created,
      dismissedCount: tally.dismissed,
      reopenedCount: tally.reopened,
      newestErrorID: tally.newestErrorID ?? undefined,
      // One that an undo has brought back was told before.
      hasRegressed:
        dismissal.regressedAt !== null &&
        dismissal.regressedAt !== before.regressedAt &&
        dismissal.regressedAt !== before.regressedBefore,
    },
  };
}
