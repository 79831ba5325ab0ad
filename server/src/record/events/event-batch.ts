import type { CountedGroup } from '../../foundation/counted-portion.ts';

/** An event that has no number yet. */
export interface NewEvent {
  readonly projectID: string;
  readonly type: string;
  /** A JSON object. */
  readonly data: string;
}

/** A row of `event_changes`, which a trigger has written. */
export interface EventChange {
  readonly project_id: string;
  readonly type: string;
  readonly data: string;
}

/** A row of `event_folds`: the last event about created errors of a group, and the errors that no event contains yet. */
export interface EventFold {
  readonly group_id: string;
  readonly project_id: string;
  /** When the last event about created errors was written. */
  readonly written_at: number;
  /** The number of errors that were created since then. */
  readonly waiting: number;
  readonly newest_id: string | null;
}

export interface EventBatch {
  /** In the order of their numbers. */
  readonly events: readonly NewEvent[];
  readonly folds: readonly EventFold[];
}

/** Errors of a group that are created within this time share one event. */
const foldMilliseconds = 1_000;

interface BatchParts {
  readonly changes: readonly EventChange[];
  readonly groups: readonly CountedGroup[];
  /** The folds of these groups, and all folds with waiting errors. */
  readonly folds: readonly EventFold[];
  /** The patterns of new and regressed groups, by the id of the group. */
  readonly patterns: ReadonlyMap<string, string>;
  readonly now: number;
}

/**
 * The events of a portion of changes. Events of agents come first, because an agent is registered before it has errors.
 *
 * Waiting errors of a group get their event before any other event about its errors, so that the order is true.
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

/** Adds the events of a group. Returns its fold if the fold changes. */
function followGroup(
  events: NewEvent[],
  group: CountedGroup,
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

/** True also if the clock of the replica that wrote the fold is far ahead. */
function isOver({ written_at: writtenAt }: EventFold, now: number): boolean {
  return Math.abs(now - writtenAt) >= foldMilliseconds;
}

/** The number of events of each project. */
export function countByProject(events: readonly NewEvent[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { projectID } of events) counts.set(projectID, (counts.get(projectID) ?? 0) + 1);
  return counts;
}
