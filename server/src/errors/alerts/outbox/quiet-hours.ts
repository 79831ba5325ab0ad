import type { QuietHours } from '@muster/contract';

/** True if messages wait at this time. From and until the same: never. */
export function isQuiet({ from, until, timeZone }: QuietHours, now: number): boolean {
  const time = localTime(now, timeZone);
  return from <= until ? from <= time && time < until : time >= from || time < until;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** hh:mm */
function localTime(now: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return format.format(now);
}
