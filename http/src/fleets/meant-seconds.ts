/** All zones differ from UTC by a multiple of this. */
export const zoneStepSeconds = 900;

/** Zones differ from UTC by at most 14 hours. */
const maxZoneSeconds = 14 * 3_600;

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
