import { createProgram } from '../../cli/src/run-muster.ts';
import { processTerminal } from '../../cli/src/terminal/process-terminal.ts';

/**
 * The flags of a command line, as `muster core-instance start` itself reads them. Runs nothing.
 *
 * @param words without `muster`
 * @throws Error that says what the command refuses (as a rejection)
 */
export async function readSiteFlags(words: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const program = await createProgram(processTerminal());
  const noun = program.commands.find((command) => command.name() === 'core-instance');
  const start = noun?.commands.find((command) => command.name() === 'start');
  if (start === undefined) throw new Error('muster core-instance start does not exist');
  let flags: Readonly<Record<string, unknown>> | undefined;
  start.configureOutput({ writeErr: () => undefined }).action((given: Record<string, unknown>) => {
    flags = given;
  });
  await program.parseAsync(words, { from: 'user' });
  if (flags === undefined) throw new Error(`this is another command: ${words.join(' ')}`);
  return flags;
}
