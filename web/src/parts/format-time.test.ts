import { describe, expect, it } from 'vitest';
import { formatMoment, formatRelative } from './format-time.ts';

const now = Date.parse('2026-03-02T10:20:30Z');

it.each([
  ['2026-03-02T10:20:21Z', 'now'],
  ['2026-03-02T10:20:33Z', 'now'],
  ['2026-03-02T10:20:20Z', '10 s ago'],
  ['2026-03-02T10:21:00Z', 'now'],
  ['2026-03-02T10:21:30Z', 'in 1 min'],
  ['2026-03-02T10:19:29Z', '1 min ago'],
  ['2026-03-02T08:00:00Z', '2 h ago'],
  ['2026-02-28T10:00:00Z', '2 days ago'],
  ['2026-03-05T10:21:00Z', 'in 3 days'],
  ['2025-03-02T12:00:00Z', 'Mar 2, 2025'],
])('%s is %s', (at, text) => {
  expect(formatRelative(Date.parse(at), now)).toBe(text);
});

describe('formatMoment', () => {
  const ago = (hours: number) => now - hours * 3_600_000;

  it('is the time of day within 24 hours, also of yesterday', () => {
    expect(formatMoment(ago(23.9), now)).toMatch(/^\d\d:\d\d$/);
    expect(formatMoment(ago(1), now, { hasSeconds: true })).toMatch(/^\d\d:\d\d:\d\d$/);
  });

  it('is the date before that, alone where there is little room', () => {
    expect(formatMoment(ago(49), now)).toMatch(/^(Feb 28|Mar 1), \d\d:\d\d$/);
    expect(formatMoment(ago(49), now, { isShort: true })).toMatch(/^(Feb 28|Mar 1)$/);
  });
});
