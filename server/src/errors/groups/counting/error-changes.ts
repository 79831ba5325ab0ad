/**
 * The kinds of rows in `agent_error_changes`. Triggers of the database write most of them (`migrations/0001-initial/agent-error-changes.ts`), a batch of new
 * errors on SQLite and the end of a dismissal write their own, and only the counter applies them.
 */
export const errorChangeKinds = {
  created: 1,
  removed: 2,
  dismissed: 3,
  reopened: 4,
  /** Reported again; the row has the number of repeats. */
  repeated: 5,
  /** Moved to this group from another one, or away from it. */
  moved: 6,
  /** A change of an agent, not of a single error. */
  configurationChanged: 7,
  /** Created by a version without groups. */
  ungrouped: 8,
  /** The created errors of a batch, in the column `errors`. Only on SQLite, where the batch itself writes this row. */
  createdTogether: 9,
  /** A dismissal of all errors of the group has ended, and newer ones are open; with the time of the first of these. */
  outlived: 10,
  /** Errors of the group that a dismissal had dismissed are reopened; with the time of the dismissal. */
  undone: 11,
} as const;

/** Numbers of errors of one agent in one group, by state. */
export interface ErrorCounts {
  /** Open, created under the configuration that the agent still runs. */
  readonly current: number;
  /** Open, of an earlier configuration. */
  readonly superseded: number;
  readonly dismissed: number;
}

export interface PairState extends ErrorCounts {
  /** The configuration epoch that `current` refers to. */
  readonly epoch: number;
}

/** The change in the number of errors of an epoch. */
export interface PairChange {
  readonly epoch: number;
  readonly opened: number;
  readonly dismissed: number;
}

/** The counts of a group, or the changes to them. */
export interface GroupCounts {
  currentErrors: number;
  supersededErrors: number;
  dismissedErrors: number;
  currentAgents: number;
  supersededAgents: number;
  /** Agents with a current or a superseded error. */
  openAgents: number;
  dismissedAgents: number;
  /** Agents with any error. */
  agents: number;
}

/**
 * The state of a pair of a group and an agent after changes.
 *
 * @param agentEpoch the epoch of the agent, or a lower one if the current one is not known.
 */
export function changePair(
  before: PairState | undefined,
  changes: readonly PairChange[],
  agentEpoch: number,
): PairState {
  const epoch = Math.max(before?.epoch ?? 0, agentEpoch, ...changes.map((change) => change.epoch));
  let { current, superseded, dismissed } = before ?? noErrors;
  if (before !== undefined && before.epoch < epoch) {
    superseded += current;
    current = 0;
  }
  for (const change of changes) {
    dismissed += change.dismissed;
    if (change.epoch === epoch) current += change.opened;
    else superseded += change.opened;
  }
  return { epoch, current, superseded, dismissed };
}

const noErrors: ErrorCounts = { current: 0, superseded: 0, dismissed: 0 };

export function noGroupCounts(): GroupCounts {
  return {
    currentErrors: 0,
    supersededErrors: 0,
    dismissedErrors: 0,
    currentAgents: 0,
    supersededAgents: 0,
    openAgents: 0,
    dismissedAgents: 0,
    agents: 0,
  };
}

/** Adds the change of one pair to the counts of its group. */
export function addPairChange(
  counts: GroupCounts,
  before: ErrorCounts = noErrors,
  after: ErrorCounts = noErrors,
): void {
  counts.currentErrors += after.current - before.current;
  counts.supersededErrors += after.superseded - before.superseded;
  counts.dismissedErrors += after.dismissed - before.dismissed;
  counts.currentAgents += has(after.current) - has(before.current);
  counts.supersededAgents += has(after.superseded) - has(before.superseded);
  counts.openAgents += has(after.current + after.superseded) - has(before.current + before.superseded);
  counts.dismissedAgents += has(after.dismissed) - has(before.dismissed);
  counts.agents += has(sizeOf(after)) - has(sizeOf(before));
}

export function sizeOf({ current, superseded, dismissed }: ErrorCounts): number {
  return current + superseded + dismissed;
}

function has(errors: number): 0 | 1 {
  return errors > 0 ? 1 : 0;
}
