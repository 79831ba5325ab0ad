import { choiceIn, textIn } from '../parts/read-search.ts';

export const causeStates = ['open', 'earlier', 'dismissed', 'muted'] as const;
export type CauseState = (typeof causeStates)[number];

export const causeSorts = ['agents', 'lastSeen', 'occurrences', 'firstSeen'] as const;
type CauseSort = (typeof causeSorts)[number];

/** The filters of the list, as they stand in the address. Absent: the first choice. */
export interface CausesSearch {
  readonly state?: CauseState;
  readonly q?: string;
  readonly fleet?: string;
  /** An id. */
  readonly site?: string;
  readonly sort?: CauseSort;
}

export function readCausesSearch(search: Readonly<Record<string, unknown>>): CausesSearch {
  return {
    ...choiceIn(search, 'state', causeStates),
    ...textIn(search, 'q', 256),
    ...textIn(search, 'fleet', 128),
    ...textIn(search, 'site', 36),
    ...choiceIn(search, 'sort', causeSorts),
  };
}
