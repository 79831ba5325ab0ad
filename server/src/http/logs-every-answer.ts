/** Whether answers that are well have lines in the log too, at this level. */
export function logsEveryAnswer(level: string): boolean {
  return level === 'debug' || level === 'trace';
}
