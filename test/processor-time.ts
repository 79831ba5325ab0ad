import { readFileSync } from 'node:fs';

/** What a tick of the kernel lasts. */
const ticksPerSecond = 100;

/** The time that this process and those that it started have had of processors. Elsewhere than on Linux, of this process alone. */
export function readProcessorSeconds(): number {
  try {
    // The name of the program, which may have blanks, ends with the last bracket.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
}
