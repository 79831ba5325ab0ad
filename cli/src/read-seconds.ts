import { InvalidArgumentError } from 'commander';

const unitSeconds: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3_600, d: 86_400 };

/** Parses `24h`, `7d`, `30min` or `90s` to seconds; `0s` is allowed. @throws InvalidArgumentError */
export function readSeconds(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,6})(s|min|h|d)$/.exec(text) ?? [];
  const length = unitSeconds[unit];
  if (amount === undefined || length === undefined) {
    throw new InvalidArgumentError('It takes a time: 24h, 7d, 30min or 90s.');
  }
  return Number(amount) * length;
}
