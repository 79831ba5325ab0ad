import type { DismissalFilter } from '@muster/client';
import type { CausesSearch } from './causes-search.ts';

/** The open errors of the causes that a list shows. `q` is looked for in the texts of the errors themselves. */
export function matchingErrors({ state, q, fleet }: CausesSearch): DismissalFilter {
  return {
    current: state !== 'earlier',
    ...(q === undefined ? {} : { q }),
    ...(fleet === undefined ? {} : { fleetID: fleet }),
  };
}

/** The open errors of causes that were chosen in a list: in that of superseded errors, those alone. */
export function errorsOfChosen({ state }: CausesSearch, groupIDs: readonly string[]): DismissalFilter {
  return { groupIDs: [...groupIDs], ...(state === 'earlier' && { current: false }) };
}
