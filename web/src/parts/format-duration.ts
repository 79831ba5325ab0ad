const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Such as `4 min`: in the largest unit of which there are at least two, so that little is lost. */
export function formatDuration(seconds: number): string {
  if (seconds < 2 * minute) return `${seconds} s`;
  if (seconds < 2 * hour) return `${Math.floor(seconds / minute)} min`;
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)} h`;
  return `${Math.floor(seconds / day)} days`;
}
