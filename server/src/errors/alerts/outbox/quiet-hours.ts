import type { QuietHours } from '@muster/contract';
import { WallClock } from '../../../foundation/wall-clock.ts';

/** True if messages wait at this time. From and until the same: never. */
export function isQuiet({ from, until, timeZone }: QuietHours, now: number): boolean {
  const time = new Date(new WallClock(timeZone).read(now))
    .toISOString()
    .slice('yyyy-mm-ddT'.length, 'yyyy-mm-ddThh:mm'.length);
  return from <= until ? from <= time && time < until : time >= from || time < until;
}
