const dayMilliseconds = 86_400_000;

/** The clock on the wall of a zone. Its times are numbers, as if it were in UTC. */
export class WallClock {
  readonly #format: Intl.DateTimeFormat;

  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  read(instant: number): number {
    const parts = new Map(
      this.#format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    );
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    return Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
  }

  /** When it shows a time; if it never does, when it would with the offsets before and after the change. */
  instantsOf(wall: number): readonly number[] {
    const candidates = [wall - dayMilliseconds, wall + dayMilliseconds].map(
      (near) => wall - (this.read(near) - near),
    );
    const right = candidates.filter((instant) => this.read(instant) === wall);
    return right.length === 0 ? candidates : right;
  }
}

/** True if it names a zone of the IANA time zone database. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
