import type { DismissalFilter } from '@muster/client';
import { dismissalsTexts } from '../texts/dismissals.ts';

/** What a dismissal was for, in a few words. */
export function describeFilter({
  groupID,
  groupIDs,
  error,
  q,
  fleetID,
  all,
  agentIDs,
}: DismissalFilter): string {
  if (groupID !== undefined || groupIDs?.length === 1) return dismissalsTexts.oneCause;
  if (groupIDs !== undefined) return dismissalsTexts.causes(groupIDs.length);
  const text = q ?? error;
  if (text !== undefined) return dismissalsTexts.containing(text);
  if (fleetID !== undefined) return dismissalsTexts.ofFleet(fleetID);
  if (all === true || agentIDs === undefined) return dismissalsTexts.everything;
  return dismissalsTexts.someErrors;
}
