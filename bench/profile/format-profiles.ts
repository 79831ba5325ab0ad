import type { ThreadProfile } from './read-profiles.ts';

const minMilliseconds = 50;

/** Lines for people: how each active thread spent its time. */
export function formatProfiles(profiles: readonly ThreadProfile[]): string {
  const lines = profiles
    .filter(({ busyMilliseconds }) => busyMilliseconds >= minMilliseconds)
    .flatMap(({ name, busyMilliseconds, functions }) => [
      '',
      `  ${name}, busy for ${(busyMilliseconds / 1_000).toFixed(2)} s`,
      ...functions.map(
        (one) => `  ${`${(100 * one.share).toFixed(1)} %`.padStart(8)}  ${one.name.padEnd(28)} ${one.place}`,
      ),
    ]);
  return lines.length === 0 ? '  no profile was written' : lines.join('\n');
}
