import type { FreezeWindow } from '@muster/contract';
import { WallClock } from '../../../foundation/wall-clock.ts';

export interface Freeze {
  readonly name: string;
  /** Undefined: not within two months. */
  readonly endsAt: number | undefined;
}

type WeeklyWindow = Extract<FreezeWindow, { weekdays: unknown }>;

interface Span {
  readonly startsAt: number;
  readonly endsAt: number;
}

const minuteMilliseconds = 60_000;
const dayMilliseconds = 86_400_000;
/** Windows that follow each other directly are one freeze. */
const maxFollowing = 60;
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** A window that tells what it covers near a time. */
interface ReadWindow {
  readonly name: string;
  readonly spansOf: (at: number) => readonly Span[];
  /** True: it may cover something each week. */
  readonly isWeekly: boolean;
}

/** The freeze that holds at a time. */
export function freezeAt(windows: readonly FreezeWindow[], now: number): Freeze | undefined {
  return findFreeze(windows.map(readWindow), now);
}

function findFreeze(windows: readonly ReadWindow[], now: number): Freeze | undefined {
  const first = lastingLongest(windows, now);
  if (first === undefined) return undefined;
  let endsAt = first.endsAt;
  for (let count = 0; count < maxFollowing; count += 1) {
    const next = lastingLongest(windows, endsAt);
    if (next === undefined) return { name: first.name, endsAt };
    endsAt = next.endsAt;
  }
  return { name: first.name, endsAt: undefined };
}

/** The first freeze that begins after a time and after the freeze that holds then, within the week after it for those of weekdays. */
export function freezeAfter(
  given: readonly FreezeWindow[],
  now: number,
): (Freeze & { readonly startsAt: number }) | undefined {
  const windows = given.map(readWindow);
  const held = findFreeze(windows, now);
  const from = held === undefined ? now : held.endsAt;
  if (from === undefined) return undefined;
  const [first] = windows
    .flatMap((window) => comingSpansOf(window, from))
    .map(({ startsAt }) => startsAt)
    .filter((startsAt) => startsAt > from)
    .sort((one, other) => one - other);
  const freeze = first === undefined ? undefined : findFreeze(windows, first);
  return first === undefined || freeze === undefined ? undefined : { ...freeze, startsAt: first };
}

function comingSpansOf({ spansOf, isWeekly }: ReadWindow, from: number): readonly Span[] {
  if (!isWeekly) return spansOf(from);
  // The week in which clocks go back has an hour more.
  return Array.from({ length: weekdays.length + 2 }, (_, days) =>
    spansOf(from + days * dayMilliseconds),
  ).flat();
}

/** Of windows that cover a time, the one that ends last. */
function lastingLongest(windows: readonly ReadWindow[], at: number) {
  return windows
    .flatMap(({ name, spansOf }) => spansOf(at).map((span) => ({ name, ...span })))
    .filter(({ startsAt, endsAt }) => startsAt <= at && at < endsAt)
    .sort((one, other) => other.endsAt - one.endsAt)[0];
}

function readWindow(window: FreezeWindow): ReadWindow {
  const { name } = window;
  if ('startsAt' in window) {
    const span = { startsAt: Date.parse(window.startsAt), endsAt: Date.parse(window.endsAt) };
    return { name, spansOf: () => [span], isWeekly: false };
  }
  const clock = new WallClock(window.zone);
  const spansOf = (at: number) => {
    const today = Math.floor(clock.read(at) / dayMilliseconds) * dayMilliseconds;
    // One that began yesterday can last until today.
    return [today - dayMilliseconds, today].flatMap((day) => spanOn(window, clock, day));
  };
  return { name, spansOf, isWeekly: true };
}

function spanOn({ weekdays: days, from, to }: WeeklyWindow, clock: WallClock, day: number): readonly Span[] {
  const weekday = weekdays[new Date(day).getUTCDay()];
  if (weekday === undefined || !days.includes(weekday)) return [];
  const [start, end] = [minutesOf(from), minutesOf(to)];
  const endDay = end > start ? day : day + dayMilliseconds;
  // A time that comes twice, or is left out, when clocks are changed: then the freeze is rather longer.
  return [
    {
      startsAt: Math.min(...clock.instantsOf(day + start * minuteMilliseconds)),
      endsAt: Math.max(...clock.instantsOf(endDay + end * minuteMilliseconds)),
    },
  ];
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
