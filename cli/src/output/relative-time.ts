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
  const amount = describeLength(Math.abs(distance));
  if (amount === undefined) return 'now';
  return distance < 0 ? `${amount} ago` : `in ${amount}`;
}

/** How long a timestamp lies back: `3 min`; `now` for less than a second and for the future. */
export function ageOf(timestamp: string, now: number): string {
  const age = now - Date.parse(timestamp);
  return Number.isNaN(age) ? timestamp : (describeLength(age) ?? 'now');
}

/** `3 min`. Undefined for less than a second. */
export function describeLength(milliseconds: number): string | undefined {
  const [length, name] = units.find(([unit]) => milliseconds >= unit) ?? [];
  return length === undefined ? undefined : `${Math.floor(milliseconds / length)} ${name}`;
}
