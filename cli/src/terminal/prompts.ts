import { CommandError } from '../command-error.ts';
import { printable } from '../output/printable.ts';
import { canPrompt, type Terminal } from './terminal.ts';

/**
 * Asks before an action that cannot be undone, unless `--yes` was given.
 *
 * @throws CommandError when the answer is no, or when there is no terminal to ask on
 */
export async function confirm(terminal: Terminal, question: string, yes: boolean | undefined): Promise<void> {
  if (yes === true) return;
  if (!canPrompt(terminal)) {
    throw new CommandError('usage', `${question} There is no terminal to ask on.`, 'Add --yes to answer it.');
  }
  const prompts = await import('@clack/prompts');
  const { stdin: input, stderr } = terminal;
  const answer = await prompts.confirm({
    message: printable(question),
    initialValue: false,
    input,
    output: asWritable(stderr),
  });
  if (answer !== true) throw new CommandError('failed', 'Nothing was done.');
}

/** Asks for a token without echoing it. @throws CommandError when there is no terminal, or the user cancels */
export async function askForToken(terminal: Terminal, question: string): Promise<string> {
  const prompts = await import('@clack/prompts');
  const { stdin: input, stderr } = terminal;
  const answer = await prompts.password({
    message: printable(question),
    mask: '',
    input,
    output: asWritable(stderr),
  });
  if (typeof answer === 'string') return answer;
  throw new CommandError('failed', 'Nothing was done.');
}

export interface Choice {
  readonly value: string;
  /** May contain control characters; they are escaped here. */
  readonly label: string;
  /** Shown beside the label of the selected choice. */
  readonly hint: string;
}

/** Asks the user to choose one of several; returns its value. @throws CommandError when the user cancels */
export async function askWhich(
  terminal: Terminal,
  question: string,
  choices: readonly Choice[],
): Promise<string> {
  const prompts = await import('@clack/prompts');
  const { stdin: input, stderr } = terminal;
  const answer = await prompts.select({
    message: printable(question),
    options: choices.map(({ value, label, hint }) => ({
      value,
      label: printable(label),
      hint: printable(hint),
    })),
    maxItems: 10,
    input,
    output: asWritable(stderr),
  });
  if (typeof answer === 'string') return answer;
  throw new CommandError('failed', 'Nothing was done.');
}

function asWritable(output: Terminal['stderr']): NodeJS.WriteStream {
  return output as NodeJS.WriteStream; // prompts are shown only on a terminal, which is such a stream
}
