/** True if this log level also logs successful answers. */
export function logsEveryAnswer(level: string): boolean {
  return level === 'debug' || level === 'trace';
}
