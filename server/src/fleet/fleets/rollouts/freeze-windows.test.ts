import type { FreezeWindow } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { freezeAfter, freezeAt } from './freeze-windows.ts';

const berlin = 'Europe/Berlin';
const at = (windows: readonly FreezeWindow[], time: string) => {
  const freeze = freezeAt(windows, Date.parse(time));
  return freeze && [freeze.name, freeze.endsAt === undefined ? undefined : new Date(freeze.endsAt).toJSON()];
};

describe('a window of some weekdays', () => {
  const nights: FreezeWindow = {
    name: 'nights',
    weekdays: ['fri'],
    from: '18:00',
    to: '08:00',
    zone: berlin,
  };

  it.each([
    ['2026-03-06T16:59:59Z', undefined],
    ['2026-03-06T17:00:00Z', ['nights', '2026-03-07T07:00:00.000Z']],
    ['2026-03-07T06:59:59Z', ['nights', '2026-03-07T07:00:00.000Z']],
    ['2026-03-07T07:00:00Z', undefined],
    ['2026-03-07T17:30:00Z', undefined],
  ])('holds from its beginning to its end, which can be on the next day: %s', (time, expected) => {
    expect(at([nights], time)).toEqual(expected);
  });

  it.each([
    // In summer, the same hours begin an hour earlier in UTC.
    ['2026-07-03T16:00:00Z', ['nights', '2026-07-04T06:00:00.000Z']],
    ['2026-07-04T06:00:00Z', undefined],
  ])('follows the clocks of its zone: %s', (time, expected) => {
    expect(at([nights], time)).toEqual(expected);
  });

  const whole: FreezeWindow = { name: 'sunday', weekdays: ['sun'], from: '00:00', to: '00:00', zone: berlin };

  it.each([
    // 23 hours: clocks go forward at 01:00Z.
    ['2026-03-28T22:59:59Z', undefined],
    ['2026-03-28T23:00:00Z', ['sunday', '2026-03-29T22:00:00.000Z']],
    ['2026-03-29T22:00:00Z', undefined],
    // 25 hours: clocks go back at 01:00Z.
    ['2026-10-24T22:00:00Z', ['sunday', '2026-10-25T23:00:00.000Z']],
    ['2026-10-25T22:59:59Z', ['sunday', '2026-10-25T23:00:00.000Z']],
    ['2026-10-25T23:00:00Z', undefined],
  ])(
    'is a whole day if it ends when it begins, also on days on which clocks are changed: %s',
    (time, expected) => {
      expect(at([whole], time)).toEqual(expected);
    },
  );

  const early: FreezeWindow = { name: 'early', weekdays: ['sun'], from: '02:30', to: '02:45', zone: berlin };

  it.each([
    // 02:30 does not exist: the window is where it would have been before and after the change.
    ['2026-03-29T00:30:00Z', ['early', '2026-03-29T01:45:00.000Z']],
    ['2026-03-29T01:45:00Z', undefined],
    // It comes twice: the window lasts from the first to the second time.
    ['2026-10-25T00:30:00Z', ['early', '2026-10-25T01:45:00.000Z']],
    ['2026-10-25T01:45:00Z', undefined],
  ])('is rather longer than shorter when its times are left out or come twice: %s', (time, expected) => {
    expect(at([early], time)).toEqual(expected);
  });
});

describe('windows that follow each other', () => {
  const day = (name: 'sat' | 'sun'): FreezeWindow => ({
    name,
    weekdays: [name],
    from: '00:00',
    to: '00:00',
    zone: 'UTC',
  });

  it('end with the last one', () => {
    expect(at([day('sat'), day('sun')], '2026-03-07T12:00:00Z')).toEqual(['sat', '2026-03-09T00:00:00.000Z']);
  });

  it('have no end if they never leave a gap', () => {
    const always: FreezeWindow = {
      name: 'always',
      weekdays: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
      from: '00:00',
      to: '00:00',
      zone: 'UTC',
    };
    expect(at([always], '2026-03-07T12:00:00Z')).toEqual(['always', undefined]);
  });
});

describe('a window of one time', () => {
  it('holds from its beginning to its end', () => {
    const window = { name: 'launch', startsAt: '2026-03-02T10:00:00Z', endsAt: '2026-03-02T12:00:00Z' };
    expect(at([window], '2026-03-02T10:00:00Z')).toEqual(['launch', '2026-03-02T12:00:00.000Z']);
    expect(at([window], '2026-03-02T12:00:00Z')).toBe(undefined);
  });
});

describe('the next freeze', () => {
  const weekend: FreezeWindow = {
    name: 'weekend',
    weekdays: ['fri'],
    from: '16:00',
    to: '00:00',
    zone: 'UTC',
  };
  const sunday: FreezeWindow = {
    name: 'sunday',
    weekdays: ['sat', 'sun'],
    from: '00:00',
    to: '00:00',
    zone: 'UTC',
  };
  const launch: FreezeWindow = {
    name: 'launch',
    startsAt: '2026-03-05T08:00:00Z',
    endsAt: '2026-03-05T09:00:00Z',
  };
  const after = (windows: readonly FreezeWindow[], time: string) => {
    const next = freezeAfter(windows, Date.parse(time));
    const json = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toJSON());
    return next && [next.name, json(next.startsAt), json(next.endsAt)];
  };

  it.each([
    ['2026-03-04T12:00:00Z', ['launch', '2026-03-05T08:00:00.000Z', '2026-03-05T09:00:00.000Z']],
    ['2026-03-05T08:00:00Z', ['weekend', '2026-03-06T16:00:00.000Z', '2026-03-09T00:00:00.000Z']],
    ['2026-03-09T12:00:00Z', ['weekend', '2026-03-13T16:00:00.000Z', '2026-03-16T00:00:00.000Z']],
  ])('is the first that begins, with those that follow it directly: %s', (time, expected) => {
    expect(after([weekend, sunday, launch], time)).toEqual(expected);
  });

  it('is none that only makes the freeze longer that holds', () => {
    expect(after([sunday], '2026-03-07T12:00:00Z')).toEqual([
      'sunday',
      '2026-03-14T00:00:00.000Z',
      '2026-03-16T00:00:00.000Z',
    ]);
    const always = { ...sunday, weekdays: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const };
    expect(after([{ ...always, weekdays: [...always.weekdays] }], '2026-03-07T12:00:00Z')).toBeUndefined();
  });

  it('is there in the week in which clocks go back', () => {
    const early: FreezeWindow = {
      name: 'early',
      weekdays: ['sun'],
      from: '00:15',
      to: '00:20',
      zone: berlin,
    };
    expect(after([early], '2026-10-24T22:30:00Z')?.[1]).toBe('2026-10-31T23:15:00.000Z');
  });

  it('is there after a whole week, and not if no window begins any more', () => {
    expect(after([weekend], '2026-03-06T16:00:00Z')?.[1]).toBe('2026-03-13T16:00:00.000Z');
    expect(after([launch], '2026-03-05T08:30:00Z')).toBeUndefined();
  });
});
