import { createReadStream } from 'node:fs';
import { largeBodyLimitBytes } from '@muster/contract';
import { CommandError } from './command-error.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Reads the file that a flag names; `-` is standard input. @throws CommandError when it cannot be read, or is longer than a request */
export async function readTextFile(terminal: Terminal, file: string): Promise<string> {
  if (file === '-') return readStandardInput(terminal, largeBodyLimitBytes);
  return readBounded(createReadStream(file), largeBodyLimitBytes, file);
}

/** @throws CommandError when it is longer */
export async function readStandardInput({ stdin }: Terminal, maxBytes: number): Promise<string> {
  return readBounded(stdin, maxBytes, 'Standard input');
}

async function readBounded(
  chunks: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
  name: string,
): Promise<string> {
  const { readBoundedText } = await import('@muster/server/read-bounded-text');
  try {
    return await readBoundedText(chunks, maxBytes);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/, .*$/s, '') : String(error);
    throw new CommandError('usage', `${name} cannot be read: ${reason}.`);
  }
}
