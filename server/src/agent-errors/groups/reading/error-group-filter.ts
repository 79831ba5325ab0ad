import type { ErrorGroupFilter } from '../error-group-store.ts';

/** What a list of groups is asked for. */
export interface ErrorGroupQuery extends ErrorGroupFilter {
  /** Only what agents of this fleet have; counted in it. */
  readonly fleetID: string | undefined;
}

/** True if many rows may have to be read for one page. */
export function isGroupSearch({ text, fleetID }: Pick<ErrorGroupQuery, 'text' | 'fleetID'>): boolean {
  return text !== undefined || fleetID !== undefined;
}
