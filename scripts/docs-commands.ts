import { readCommandTree } from '../cli/src/completion/command-tree.ts';
import { exitCodeMeanings, exitCodes } from '../cli/src/exit-codes.ts';
import { createProgram } from '../cli/src/run-muster.ts';
import { processTerminal } from '../cli/src/terminal/process-terminal.ts';

const program = await createProgram(processTerminal());

/** Every command with its flags, from the command's own tree. */
export function commandsTable(): string {
  const commands = readCommandTree(program).filter(
    ({ path, subcommands }) => path !== '' && subcommands.length === 0,
  );
  const rows = commands.map(({ path, usage, summary, flags }) => [
    `\`muster ${path}${usage === '' ? '' : ` ${usage}`}\``,
    summary,
    flags
      .filter(({ long }) => long !== '--help')
      .map(({ long }) => `\`${long}\``)
      .join(' '),
  ]);
  return table(['Command', 'What it does', 'Flags'], rows);
}

export function exitCodesTable(): string {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[]; // keys of a literal object
  return table(
    ['Exit code', 'Meaning'],
    names.map((name) => [String(exitCodes[name]), exitCodeMeanings[name]]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}
