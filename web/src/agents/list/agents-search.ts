import { choiceIn, textIn } from '../../parts/read-search.ts';
import { statusesWorstFirst } from '../status-tones.ts';

/** What agents stand below: what is wrong with them, or nothing. */
export const groupings = ['wrong', 'none'] as const;
type Grouping = (typeof groupings)[number];

/** What the filter by status offers. */
export const statusChoices = ['all', ...statusesWorstFirst] as const;
type StatusChoice = (typeof statusChoices)[number];

/** The filters of the list, as they stand in the address. Absent: all agents. */
export interface AgentsSearch {
  readonly q?: string;
  readonly status?: StatusChoice;
  readonly version?: string;
  readonly fleet?: string;
  readonly tag?: string;
  /** An id. */
  readonly site?: string;
  readonly group?: Grouping;
}

/** True if the list looks for particular agents, which then stand in one list. */
export function isSearch({ q, version, fleet, tag, site }: AgentsSearch): boolean {
  return [q, version, fleet, tag, site].some((filter) => filter !== undefined);
}

export function readAgentsSearch(search: Readonly<Record<string, unknown>>): AgentsSearch {
  return {
    ...textIn(search, 'q', 256),
    ...choiceIn(search, 'status', statusChoices),
    ...textIn(search, 'version', 128),
    ...textIn(search, 'fleet', 128),
    ...textIn(search, 'tag', 128),
    ...textIn(search, 'site', 36),
    ...choiceIn(search, 'group', groupings),
  };
}
