import { textIn } from '../parts/read-search.ts';

const idLength = 36;

/** What the page of a fleet shows, as it stands in the address. */
export interface FleetSearch {
  /** The id of the chosen version. Absent: the newest. */
  readonly version?: string;
  /** The id of the version to compare with. Absent: the one before. */
  readonly against?: string;
}

export function readFleetSearch(search: Readonly<Record<string, unknown>>): FleetSearch {
  return { ...textIn(search, 'version', idLength), ...textIn(search, 'against', idLength) };
}

export interface EditorSearch {
  /** The id of the version that the draft begins with. Absent: the newest. */
  readonly from?: string;
}

export function readEditorSearch(search: Readonly<Record<string, unknown>>): EditorSearch {
  return textIn(search, 'from', idLength);
}
