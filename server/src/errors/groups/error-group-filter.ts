import { type AgentsPart, isPart } from './agents-count-store.ts';
import type { ErrorGroupFilter } from './error-group-store.ts';

/** The filter of a list of groups. Of a part of the agents: only groups with errors of these, counted on them alone. */
export type ErrorGroupQuery = ErrorGroupFilter & AgentsPart;

/** True if many rows may have to be read for one page. */
export function isGroupSearch({
  text,
  muted,
  ...part
}: Pick<ErrorGroupQuery, 'text' | 'fleetID' | 'coreInstanceID' | 'muted'>): boolean {
  // Few groups are muted.
  return text !== undefined || isPart(part) || muted?.is === true;
}
