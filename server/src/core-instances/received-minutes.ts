import { coreInstanceTrendMinutes } from '@muster/contract';

/** As stored: how much has arrived in each minute, up to the newest one in which something has. */
interface ReceivedMinutes {
  /** The newest one, counted since 1970. */
  readonly minute: number;
  /** The oldest first, at most as many as are shown. */
  readonly counts: readonly number[];
}

/** A site that was broken into can claim any number of repeats. */
const maxPerMinute = 1_000_000_000_000;

/** Counts what has just arrived. Takes and returns the text of the column. */
export function addReceived(stored: string | null, now: number, count: number): string {
  const { minute, counts } = countsUntil(stored, minuteOf(now));
  const sum = Math.min(maxPerMinute, (counts.at(-1) ?? 0) + Math.floor(count));
  const all = [...counts.slice(0, -1), sum];
  return JSON.stringify({ minute, counts: all.slice(all.findIndex((one) => one > 0)) });
}

/** How much has arrived in each of the last minutes, the current one last. */
export function readReceivedMinutes(stored: string | null, now: number): number[] {
  return countsUntil(stored, minuteOf(now)).counts;
}

/** All minutes up to the current one, or to the newest that is stored: the clock may have been set back. */
function countsUntil(stored: string | null, current: number): { minute: number; counts: number[] } {
  const none = { minute: current, counts: [] };
  const known: ReceivedMinutes = stored === null ? none : JSON.parse(stored); // written above alone
  const minute = Math.max(current, known.minute);
  const first = minute - coreInstanceTrendMinutes + 1;
  const firstKnown = known.minute - known.counts.length + 1;
  const counts = Array.from(
    { length: coreInstanceTrendMinutes },
    (_, place) => known.counts[first + place - firstKnown] ?? 0,
  );
  return { minute, counts };
}

function minuteOf(time: number): number {
  return Math.floor(time / 60_000);
}
