import { textIn } from '../../parts/read-search.ts';

/** What is shown of an agent, as it stands in the address. */
export interface DetailSearch {
  /** The configuration whose changes are shown. Absent: the one that the agent runs. */
  readonly config?: string;
  /** The configuration with which it is compared. Absent: the one before it. */
  readonly against?: string;
}

export function readDetailSearch(search: Readonly<Record<string, unknown>>): DetailSearch {
  return { ...textIn(search, 'config', 64), ...textIn(search, 'against', 64) };
}
