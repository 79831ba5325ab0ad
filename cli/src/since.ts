import { InvalidArgumentError } from 'commander';
import { toMilliseconds } from './duration.ts';

/** Checked when parsed, computed when the command runs. @throws InvalidArgumentError */
export function readSince(text: string): string {
  const isTime = /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text));
  if (isTime || toMilliseconds(text) !== undefined) return text;
  throw new InvalidArgumentError(
    'It takes how long ago (30min, 2h, 7d), a day (2026-03-31) or a time with its zone.',
  );
}

/** The point in time that such a flag means, as the API takes it. */
export function toTime(text: string, now: number): string {
  const ago = toMilliseconds(text);
  return new Date(ago === undefined ? text : now - ago).toISOString();
}
