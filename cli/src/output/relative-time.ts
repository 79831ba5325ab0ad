const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const units: readonly (readonly [milliseconds: number, name: string])[] = [
  [365 * day, 'y'],
  [day, 'd'],
  [hour, 'h'],
  [minute, 'min'],
  [1_000, 's'],
];

/** A timestamp relative to now, for people: `3 min ago`, `in 2 d`, `now`. */
export function relativeTime(timestamp: string, now: number): string {
  const distance = Date.parse(timestamp) - now;
  if (Number.isNaN(distance)) return timestamp;
  const [length, name] = units.find(([milliseconds]) => Math.abs(distance) >= milliseconds) ?? [];
  if (length === undefined || name === undefined) return 'now';
  const amount = `${Math.floor(Math.abs(distance) / length)} ${name}`;
  return distance < 0 ? `${amount} ago` : `in ${amount}`;
}
