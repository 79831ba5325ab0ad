import { addCoreInstanceStartCommand } from './commands/core-instances/core-instance-start.ts';
import { runProgram } from './run-program.ts';
import type { Terminal } from './terminal/terminal.ts';

/**
 * Runs `muster core-instance start`, as `runMuster` does. It stays in memory for months at a small site, so that it is loaded without the other
 * commands, which take 20 MB and half of the time of a start.
 */
export function runSite(args: readonly string[], terminal: Terminal): Promise<number> {
  return runProgram(
    (program) => {
      addCoreInstanceStartCommand(program.command('core-instance'), terminal);
    },
    args,
    terminal,
  );
}
