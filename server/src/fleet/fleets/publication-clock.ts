/** All zones differ from UTC by a multiple of this. */
export const zoneStepSeconds = 900;

/** So many of the newest dates of a project differ modulo 15 minutes. */
export const recentPublications = 300;

/** Zones differ from UTC by at most 14 hours. */
const maxZoneSeconds = 14 * 3_600;

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

/**
 * The date that an agent in any zone means: of those that are equal modulo 15 minutes and at most as far away as a zone can be, the nearest one.
 *
 * @param recent the newest dates of the project
 */
export function meantSeconds(said: number, recent: readonly number[]): number | undefined {
  let meant: number | undefined;
  for (const seconds of recent) {
    const distance = Math.abs(seconds - said);
    if (distance === 0) return seconds;
    if (distance > maxZoneSeconds || distance % zoneStepSeconds !== 0) continue;
    if (meant === undefined || distance < Math.abs(meant - said)) meant = seconds;
  }
  return meant;
}
