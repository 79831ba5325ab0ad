/**
 * What the rows of `agent_error_changes` tell of. Written by triggers of the database (migration 0006), applied by the
 * folder, and nothing else.
 */
export const errorChangeKinds = {
  created: 1,
  removed: 2,
  dismissed: 3,
  reopened: 4,
  /** Reported again, so many times. */
  repeated: 5,
  /** To another group, or from it. */
  moved: 6,
  /** Of an agent, and of no single error. */
  configurationChanged: 7,
  /** Created by a version that knows no groups. */
  ungrouped: 8,
} as const;

/** Errors of one agent in one group, by what has become of them. */
export interface ErrorCounts {
  /** Open, created while the agent had the configuration that it has now. */
  readonly current: number;
  /** Open, of an earlier configuration. */
  readonly superseded: number;
  readonly dismissed: number;
}

export interface PairState extends ErrorCounts {
  /** The configuration epoch that `current` means. */
  readonly epoch: number;
}

/** By how much the number of errors of an epoch has changed. */
export interface PairChange {
  readonly epoch: number;
  readonly opened: number;
  readonly dismissed: number;
}

/** What the counts of a group change by, or what they are. */
export interface GroupCounts {
  currentErrors: number;
  supersededErrors: number;
  dismissedErrors: number;
  currentAgents: number;
  supersededAgents: number;
  /** With a current or a superseded error. */
  openAgents: number;
  dismissedAgents: number;
  /** With any error. */
  agents: number;
}

/**
 * The state of a pair of a group and an agent after changes.
 *
 * @param agentEpoch that of the agent, or a lower one where that is all that is known.
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

/** Adds to the counts of a group what the change of one pair makes of them. */
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
