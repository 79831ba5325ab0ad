import type { FreezeWindow } from '@muster/client';

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
type Weekday = (typeof weekdays)[number];

/** A freeze window as somebody fills it in. */
export interface FreezeWindowInput {
  readonly name: string;
  readonly kind: 'weekly' | 'once';
  readonly weekdays: readonly Weekday[];
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  /** On the clock of the browser, such as `2026-11-27T18:00`. */
  readonly startsAt: string;
  readonly endsAt: string;
}

/** @param zone the one of the browser */
export function newWindow(zone: string): FreezeWindowInput {
  return {
    name: '',
    kind: 'weekly',
    weekdays: [],
    from: '18:00',
    to: '08:00',
    zone,
    startsAt: '',
    endsAt: '',
  };
}

/** Undefined: something is missing. */
export function windowOf(input: FreezeWindowInput): FreezeWindow | undefined {
  const name = input.name.trim();
  if (name === '') return undefined;
  if (input.kind === 'once') {
    const [startsAt, endsAt] = [Date.parse(input.startsAt), Date.parse(input.endsAt)];
    if (!(startsAt < endsAt)) return undefined;
    return { name, startsAt: new Date(startsAt).toISOString(), endsAt: new Date(endsAt).toISOString() };
  }
  const { from, to } = input;
  const zone = input.zone.trim();
  // In the order of the week, whatever the order in which they were chosen.
  const days = weekdays.filter((day) => input.weekdays.includes(day));
  if (days.length === 0 || from === '' || to === '' || zone === '') return undefined;
  return { name, weekdays: days, from, to, zone };
}
