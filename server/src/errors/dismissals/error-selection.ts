import type { DismissalFilter } from '@muster/contract';
import { redactErrorText } from '@muster/http/reports/error-text';
import type { SecretRemover } from '../../fleet/secret-remover.ts';
import { minIDAt, parseTimestamp } from '../../foundation/clock.ts';
import { invalidBody, type Refusal } from '../../foundation/refusal.ts';
import type { DismissalRow } from './dismissal-store.ts';
import type { ErrorSelection } from './dismissed-error-store.ts';

/**
 * A filter as it is stored: ids in lower case, and the text as it would be stored.
 *
 * @throws Refusal invalid_body without a condition, or for `all` together with one
 */
export function normalizeFilter(filter: DismissalFilter, remover: SecretRemover): DismissalFilter {
  const { all, ...conditions } = filter;
  const isEmpty = Object.keys(conditions).length === 0;
  if (isEmpty && all !== true)
    throw refuse('', 'has no condition. To dismiss all open errors of the project, send {"all": true}');
  if (!isEmpty && all === true)
    throw refuse('/all', 'selects all open errors, so it takes no other condition beside it');
  if (filter.createdBefore !== undefined && parseTimestamp(filter.createdBefore) === undefined) {
    throw refuse('/createdBefore', 'must be an ISO 8601 time with its zone, such as 2026-01-31T00:00:00Z');
  }
  if (filter.groupID !== undefined && filter.groupIDs !== undefined) {
    throw refuse('/groupIDs', 'cannot be given together with groupID: name all groups in groupIDs');
  }
  // Errors are stored without secrets. What would stand in their place is in many texts, so that the filter would select too much.
  if (filter.q !== undefined && redactErrorText(filter.q, remover) !== filter.q)
    throw refuse('/q', 'contains a secret, without which errors are stored. Give other words of the text');
  return {
    ...filter,
    ...(filter.groupID === undefined ? {} : { groupID: filter.groupID.toLowerCase() }),
    ...(filter.groupIDs === undefined ? {} : { groupIDs: distinctIDs(filter.groupIDs) }),
    ...(filter.agentIDs === undefined ? {} : { agentIDs: distinctIDs(filter.agentIDs) }),
    ...(filter.error === undefined ? {} : { error: redactErrorText(filter.error, remover) }),
  };
}

/** @param id of the dismissal. Errors that were stored before it have smaller ids */
export function boundOf(filter: DismissalFilter, id: string): string {
  const before = filter.createdBefore === undefined ? undefined : parseTimestamp(filter.createdBefore);
  if (before === undefined) return id;
  const bound = minIDAt(before);
  return bound < id ? bound : id;
}

/** The errors that a stored dismissal selects. */
export function selectionOf(row: Pick<DismissalRow, 'project_id' | 'filter' | 'bound_id'>): ErrorSelection {
  return selectionBy(row.project_id, filterOf(row), row.bound_id);
}

/** Whether it selects all open errors that its groups had when it was requested. */
export function selectsWholeGroups(row: Pick<DismissalRow, 'filter'>): boolean {
  return Object.keys(filterOf(row)).every(
    (name) => name === 'all' || name === 'groupID' || name === 'groupIDs',
  );
}

export function selectionBy(projectID: string, filter: DismissalFilter, boundID: string): ErrorSelection {
  const { groupID, groupIDs = groupID === undefined ? undefined : [groupID] } = filter;
  const { error, q: text, agentIDs, fleetID, current } = filter;
  return { projectID, boundID, groupIDs, error, text, agentIDs, fleetID, current };
}

function distinctIDs(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

function refuse(path: string, message: string): Refusal {
  return invalidBody([{ path: `/filter${path}`, message }]);
}

/** What a stored dismissal is for. */
export function filterOf({ filter }: Pick<DismissalRow, 'filter'>): DismissalFilter {
  return JSON.parse(filter) as DismissalFilter; // written by the service alone
}

/** The groups that a filter names. */
export function groupIDsOf({ groupID, groupIDs = [] }: DismissalFilter): readonly string[] {
  return groupID === undefined ? groupIDs : [groupID];
}
