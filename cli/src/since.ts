import { InvalidArgumentError } from 'commander';

const unitMilliseconds: Readonly<Record<string, number>> = {
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const agoPattern = /^(\d{1,6})(s|min|h|d)$/;

/** Checked when parsed, computed when the command runs. @throws InvalidArgumentError */
export function readSince(text: string): string {
  const isTime = /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text));
  if (isTime || agoPattern.test(text)) return text;
  throw new InvalidArgumentError(
    'It takes how long ago (30min, 2h, 7d), a day (2026-03-31) or a time with its zone.',
  );
}

/** The point in time that such a flag means, as the API takes it. */
export function toTime(text: string, now: number): string {
  const [, amount, unit = ''] = agoPattern.exec(text) ?? [];
  return new Date(
    amount === undefined ? text : now - Number(amount) * (unitMilliseconds[unit] ?? 0),
  ).toISOString();
}
