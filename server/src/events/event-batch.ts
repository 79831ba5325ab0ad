import type { FoldedGroup } from '../folded-portion.ts';

/** An event that has no number yet. */
export interface NewEvent {
  readonly projectID: string;
  readonly type: string;
  /** A JSON object. */
  readonly data: string;
}

/** A row of `event_changes`: what a trigger has noted. */
export interface EventChange {
  readonly project_id: string;
  readonly type: string;
  readonly data: string;
}

/** A row of `event_folds`: what was last told of the created errors of a group, and what was not told yet. */
export interface EventFold {
  readonly group_id: string;
  readonly project_id: string;
  /** When the last event about created errors was written. */
  readonly written_at: number;
  /** Errors that were created since then. */
  readonly waiting: number;
  readonly newest_id: string | null;
}

export interface EventBatch {
  /** In the order in which they are numbered. */
  readonly events: readonly NewEvent[];
  readonly folds: readonly EventFold[];
}

/** Errors of a group that are created within this time are told of in one event. */
const foldMilliseconds = 1_000;

interface BatchParts {
  readonly changes: readonly EventChange[];
  readonly groups: readonly FoldedGroup[];
  /** Those of these groups, and all in which something waits. */
  readonly folds: readonly EventFold[];
  /** Of the groups that are new or back, by their id. */
  readonly patterns: ReadonlyMap<string, string>;
  readonly now: number;
}

/**
 * The events that tell of a portion of changes. The agents come first: an agent is registered before it has errors.
 *
 * What waits of a group is told before anything else happens to its errors, so that the order is true.
 */
export function makeEvents({ changes, groups, folds, patterns, now }: BatchParts): EventBatch {
  const events: NewEvent[] = changes.map(({ project_id: projectID, type, data }) => ({
    projectID,
    type,
    data,
  }));
  const known = new Map(folds.map((fold) => [fold.group_id, fold]));
  const changed: EventFold[] = [];
  for (const group of groups) {
    const fold = followGroup(events, group, known.get(group.groupID), { patterns, now });
    known.delete(group.groupID);
    if (fold !== undefined) changed.push(fold);
  }
  for (const fold of known.values()) {
    if (fold.waiting === 0 || !isOver(fold, now)) continue;
    events.push(createdEvent(fold, fold.waiting, fold.newest_id));
    changed.push({ ...fold, written_at: now, waiting: 0, newest_id: null });
  }
  return { events, folds: changed };
}

/** Adds the events of a group; answers its fold if that changes. */
function followGroup(
  events: NewEvent[],
  group: FoldedGroup,
  fold: EventFold | undefined,
  { patterns, now }: Pick<BatchParts, 'patterns' | 'now'>,
): EventFold | undefined {
  const place = { group_id: group.groupID, project_id: group.projectID };
  const pattern = patterns.get(group.groupID) ?? '';
  const ofGroup = (type: string, data: object): NewEvent => ({
    projectID: group.projectID,
    type,
    data: JSON.stringify({ groupID: group.groupID, ...data }),
  });
  if (group.isNew) events.push(ofGroup('agent_error_group.new', { pattern }));
  if (group.hasRegressed) events.push(ofGroup('agent_error_group.regressed', { pattern }));
  const waiting = (fold?.waiting ?? 0) + group.createdCount;
  const newest = group.newestErrorID ?? fold?.newest_id ?? null;
  const hasMore = group.isNew || group.hasRegressed || group.dismissedCount + group.reopenedCount > 0;
  const isTold = waiting > 0 && (hasMore || fold === undefined || isOver(fold, now));
  if (isTold) events.push(createdEvent(place, waiting, newest));
  if (group.dismissedCount > 0) {
    events.push(ofGroup('agent_error.dismissed', { count: group.dismissedCount }));
  }
  if (group.reopenedCount > 0) events.push(ofGroup('agent_error.reopened', { count: group.reopenedCount }));
  if (isTold) return { ...place, written_at: now, waiting: 0, newest_id: null };
  if (group.createdCount === 0) return undefined;
  return { ...place, written_at: fold?.written_at ?? now, waiting, newest_id: newest };
}

function createdEvent(
  { group_id: groupID, project_id: projectID }: Pick<EventFold, 'group_id' | 'project_id'>,
  count: number,
  newestErrorID: string | null,
): NewEvent {
  return {
    projectID,
    type: 'agent_error.created',
    data: JSON.stringify({ groupID, count, newestErrorID }),
  };
}

/** Also where the clock of the replica that wrote it is far ahead. */
function isOver({ written_at: writtenAt }: EventFold, now: number): boolean {
  return Math.abs(now - writtenAt) >= foldMilliseconds;
}

/** How many events there are of each project. */
export function countByProject(events: readonly NewEvent[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { projectID } of events) counts.set(projectID, (counts.get(projectID) ?? 0) + 1);
  return counts;
}
