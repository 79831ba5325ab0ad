import { zoneStepSeconds } from '@muster/http/fleets/meant-seconds';

/** So many of the newest dates of a project differ modulo 15 minutes. */
export const recentPublications = 300;

/**
 * The next date of a project. An agent takes a configuration only if its date is later, in whole seconds, than all that it has. It reads a date as
 * if it were in its own zone, so that it says another number: therefore the recent dates differ modulo 15 minutes, and a date is known in each zone.
 *
 * @param recent the newest dates of the project, the newest first
 */
export function nextSeconds(now: number, recent: readonly number[]): number {
  const [newest = 0] = recent;
  const taken = new Set(recent.slice(0, recentPublications).map((seconds) => seconds % zoneStepSeconds));
  let next = Math.max(Math.floor(now / 1_000), newest + 1);
  while (taken.has(next % zoneStepSeconds)) next += 1;
  return next;
}
