import { agentStatuses } from '@muster/contract';
import { choiceIn, textIn } from '../../parts/read-search.ts';

/** What the filter by status offers. */
export const statusChoices = ['all', ...agentStatuses] as const;
type StatusChoice = (typeof statusChoices)[number];

/** The filters of the list, as they stand in the address. Absent: all agents. */
export interface AgentsSearch {
  readonly q?: string;
  readonly status?: StatusChoice;
  readonly version?: string;
  readonly fleet?: string;
  readonly tag?: string;
}

export function readAgentsSearch(search: Readonly<Record<string, unknown>>): AgentsSearch {
  return {
    ...textIn(search, 'q', 256),
    ...choiceIn(search, 'status', statusChoices),
    ...textIn(search, 'version', 128),
    ...textIn(search, 'fleet', 128),
    ...textIn(search, 'tag', 128),
  };
}
