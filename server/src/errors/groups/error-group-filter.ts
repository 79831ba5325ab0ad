import type { ErrorGroupFilter } from './error-group-store.ts';

/** The filter of a list of groups. */
export interface ErrorGroupQuery extends ErrorGroupFilter {
  /** Only groups with errors of agents of this fleet. The counts are those of the fleet. */
  readonly fleetID: string | undefined;
}

/** True if many rows may have to be read for one page. */
export function isGroupSearch({
  text,
  fleetID,
  muted,
}: Pick<ErrorGroupQuery, 'text' | 'fleetID' | 'muted'>): boolean {
  // Few groups are muted.
  return text !== undefined || fleetID !== undefined || muted?.is === true;
}
