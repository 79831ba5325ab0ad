import { InvalidArgumentError } from 'commander';

const unitMilliseconds: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** The milliseconds of `90s`, `30min` or `30m`, `12h`, `7d` or `2w`. Undefined: the text is no duration. */
export function toMilliseconds(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,6})([a-z]{1,3})$/.exec(text) ?? [];
  const length = unitMilliseconds[unit];
  return amount === undefined || length === undefined ? undefined : Number(amount) * length;
}

/** Parses a duration to seconds; `0s` is allowed. @throws InvalidArgumentError */
export function readSeconds(text: string): number {
  const milliseconds = toMilliseconds(text);
  if (milliseconds === undefined) throw new InvalidArgumentError('It takes a time: 24h, 7d, 30min or 90s.');
  return milliseconds / 1_000;
}
