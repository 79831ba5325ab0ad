const lastFourDigitYear = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const zero = '0'.charCodeAt(0);
/** Used only within one call. */
const scratch = Buffer.from('0000-00-00T00:00:00.000Z', 'latin1');

/**
 * Formats like `Date.prototype.toISOString`, with a third of its instructions. Every report is answered with a time, and the method of V8 took a
 * twentieth of the instructions of a report.
 */
export function writeTimestamp(milliseconds: number): string {
  const date = new Date(milliseconds);
  // Other years have a sign and six digits.
  if (!(milliseconds >= 0 && milliseconds <= lastFourDigitYear)) return date.toISOString();
  const year = date.getUTCFullYear();
  writePair(Math.floor(year / 100), 0);
  writePair(year % 100, 2);
  writePair(date.getUTCMonth() + 1, 5);
  writePair(date.getUTCDate(), 8);
  const whole = Math.floor(milliseconds);
  const seconds = Math.floor(whole / 1_000);
  writePair(Math.floor(seconds / 3_600) % 24, 11);
  writePair(Math.floor(seconds / 60) % 60, 14);
  writePair(seconds % 60, 17);
  const rest = whole % 1_000;
  writePair(Math.floor(rest / 10), 20);
  scratch[22] = zero + (rest % 10);
  return scratch.toString('latin1');
}

function writePair(value: number, at: number): void {
  scratch[at] = zero + Math.floor(value / 10);
  scratch[at + 1] = zero + (value % 10);
}
