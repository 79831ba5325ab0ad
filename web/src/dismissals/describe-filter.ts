import type { Dismissal } from '@muster/client';
import { dismissalsTexts } from '../texts/dismissals.ts';

/** What a dismissal was for, in a few words. */
export function describeFilter({ filter, groups }: Pick<Dismissal, 'filter' | 'groups'>): string {
  const { groupID, groupIDs, error, q, fleetID, all, agentIDs } = filter;
  const [group, ...others] = groups;
  if (group !== undefined && others.length === 0) return group.name;
  if (groupID !== undefined || groupIDs?.length === 1) return dismissalsTexts.oneCause;
  if (groupIDs !== undefined) return dismissalsTexts.causes(groupIDs.length);
  const text = q ?? error;
  if (text !== undefined) return dismissalsTexts.containing(text);
  if (fleetID !== undefined) return dismissalsTexts.ofFleet(fleetID);
  if (all === true || agentIDs === undefined) return dismissalsTexts.everything;
  return dismissalsTexts.someErrors;
}
