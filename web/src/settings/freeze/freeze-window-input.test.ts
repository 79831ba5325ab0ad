import { expect, it } from 'vitest';
import { newWindow, windowOf } from './freeze-window-input.ts';

const weekly = { ...newWindow('Europe/Berlin'), name: ' nights ', weekdays: ['fri', 'mon'] as const };
const once = { ...weekly, kind: 'once' as const, startsAt: '2026-11-27T18:00', endsAt: '2026-11-30T08:00' };

it('of some weekdays has them in the order of the week', () => {
  expect(windowOf(weekly)).toEqual({
    name: 'nights',
    weekdays: ['mon', 'fri'],
    from: '18:00',
    to: '08:00',
    zone: 'Europe/Berlin',
  });
});

it('of a single time is at the same moment in every zone', () => {
  expect(windowOf(once)).toEqual({
    name: 'nights',
    startsAt: new Date('2026-11-27T18:00').toISOString(),
    endsAt: new Date('2026-11-30T08:00').toISOString(),
  });
});

it.each([
  ['a name', { ...weekly, name: ' ' }],
  ['a day', { ...weekly, weekdays: [] }],
  ['a time', { ...weekly, to: '' }],
  ['a zone', { ...weekly, zone: '' }],
  ['an end', { ...once, endsAt: '' }],
  ['an end after its beginning', { ...once, endsAt: once.startsAt }],
])('needs %s', (_, input) => {
  expect(windowOf(input)).toBeUndefined();
});
