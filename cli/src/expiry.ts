import { InvalidArgumentError } from 'commander';
import { toMilliseconds } from './duration.ts';

/** An expiry as a flag gives it: a duration or a point in time. */
export type Expiry = { readonly afterMilliseconds: number } | { readonly at: string } | 'never';

/** Parses `90d`, `12h`, `30min`, `2w`, `never`, a date, or a time with its zone. @throws InvalidArgumentError */
export function readExpiry(text: string): Expiry {
  if (text === 'never') return 'never';
  const afterMilliseconds = toLength(text);
  if (afterMilliseconds !== undefined) return { afterMilliseconds };
  const at = toTimestamp(text);
  if (at !== undefined) return { at };
  throw new InvalidArgumentError(
    'It takes how long (90d, 12h, 30min, 2w), a day (2027-03-31), a time with its zone (2027-03-31T18:00:00Z), or never.',
  );
}

/** Parses `90d`, `12h`, `30min` or `2w` to milliseconds. @throws InvalidArgumentError */
export function readLength(text: string): number {
  const length = toLength(text);
  if (length !== undefined) return length;
  throw new InvalidArgumentError('It takes how long: 30min, 12h, 7d, 2w.');
}

/** Parses a date, or a time with its zone, to a timestamp of the API. @throws InvalidArgumentError */
export function readTime(text: string): string {
  const at = toTimestamp(text);
  if (at !== undefined) return at;
  throw new InvalidArgumentError(
    'It takes a day (2027-03-31) or a time with its zone (2027-03-31T18:00:00Z).',
  );
}

function toLength(text: string): number | undefined {
  const length = toMilliseconds(text);
  return length === 0 ? undefined : length;
}

function toTimestamp(text: string): string | undefined {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const isValid = isTime && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));
  return isValid ? new Date(text).toISOString() : undefined;
}

/** JavaScript accepts 31 February and reads it as 3 March. */
function isDay(text: string): boolean {
  const day = new Date(text);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** The expiry in the form of the API; null for never. */
export function toExpiresAt(expiry: Expiry, now: number): string | null {
  if (expiry === 'never') return null;
  return 'at' in expiry ? expiry.at : new Date(now + expiry.afterMilliseconds).toISOString();
}
