import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { CommandError } from './command-error.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Reads the file that a flag names; `-` is standard input. @throws CommandError when it cannot be read */
export async function readTextFile(terminal: Terminal, file: string): Promise<string> {
  if (file === '-') return text(terminal.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/, .*$/s, '') : String(error);
    throw new CommandError('usage', `${file} cannot be read: ${reason}.`);
  }
}
