const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' });
const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const clockWithSeconds = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });
const date = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const dateOfYear = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });

/** Such as `now`, `5 min ago` or `in 3 days`. What seems less than a minute ahead is now: times on a screen are up to 15 s behind, and clocks differ. */
export function formatRelative(time: number, now: number): string {
  if (time > now - 10 * second && time < now + minute) return 'now';
  const size = Math.abs(time - now);
  if (size >= 60 * day) return dateOfYear.format(time);
  const amount = formatAmount(size);
  return time < now ? `${amount} ago` : `in ${amount}`;
}

function formatAmount(size: number): string {
  if (size < minute) return `${Math.trunc(size / second)} s`;
  if (size < hour) return `${Math.trunc(size / minute)} min`;
  if (size < 2 * day) return `${Math.trunc(size / hour)} h`;
  return `${Math.trunc(size / day)} days`;
}

/** The whole date and time, in the time zone of the browser. */
export function formatExact(at: string): string {
  return exact.format(Date.parse(at));
}

interface MomentFormat {
  readonly hasSeconds?: boolean | undefined;
  /** True: a date stands alone. */
  readonly isShort?: boolean | undefined;
}

/** The time of day within 24 hours, otherwise the date too: for a sentence such as `since 14:02`. */
export function formatMoment(time: number, now: number, { hasSeconds, isShort }: MomentFormat = {}): string {
  const timeOfDay = (hasSeconds === true ? clockWithSeconds : clock).format(time);
  if (Math.abs(now - time) < day) return timeOfDay;
  return isShort === true ? date.format(time) : `${date.format(time)}, ${timeOfDay}`;
}

/** Below a chart: the time of day, and at its begin the date. */
export function formatTick(time: number): string {
  const text = clock.format(time);
  return text === '00:00' ? date.format(time) : text;
}
