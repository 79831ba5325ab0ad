/** What decides whether a filter is a search. */
type SearchedFilter = {
  readonly [Name in 'text' | 'fleetID' | 'dismissed' | 'current' | 'groupID']?: unknown;
};

/** True if no index covers the filter, so that one page may have to read every error of the project, or of the group. */
export function isSearch({ text, fleetID, dismissed, current, groupID }: SearchedFilter): boolean {
  if (groupID !== undefined && dismissed !== undefined) return true;
  return text !== undefined || fleetID !== undefined || dismissed === true || current !== undefined;
}
