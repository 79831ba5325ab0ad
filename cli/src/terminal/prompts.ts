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
  const answer = await untilEnd(terminal, (ends) =>
    prompts.confirm({ message: printable(question), initialValue: false, ...ends }),
  );
  if (answer !== true) throw new CommandError('failed', 'Nothing was done.');
}

/** Asks for a token without echoing it. @throws CommandError when there is no terminal, or the user cancels */
export async function askForToken(terminal: Terminal, question: string): Promise<string> {
  const prompts = await import('@clack/prompts');
  const answer = await untilEnd(terminal, (ends) =>
    prompts.password({ message: printable(question), mask: '', ...ends }),
  );
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
  const options = choices.map(({ value, label, hint }) => ({
    value,
    label: printable(label),
    hint: printable(hint),
  }));
  const answer = await untilEnd(terminal, (ends) =>
    prompts.select({ message: printable(question), options, maxItems: 10, ...ends }),
  );
  if (typeof answer === 'string') return answer;
  throw new CommandError('failed', 'Nothing was done.');
}

interface PromptEnds {
  readonly input: Terminal['stdin'];
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

const patienceMinutes = 10;

/** The answer to a question that also ends without one. @throws CommandError if nobody answers, or the input ends, as with Ctrl-D */
async function untilEnd<Answer>(
  { stdin, stderr, every }: Terminal,
  ask: (ends: PromptEnds) => Promise<Answer>,
): Promise<Answer> {
  const ended = new AbortController();
  let why = '';
  const end = (reason: string) => {
    why = `${reason} Nothing was done.`;
    ended.abort();
  };
  const onEnd = () => end('The input has ended without an answer.');
  const onKey = (_: unknown, key?: { readonly ctrl?: boolean; readonly name?: string }) => {
    if (key?.ctrl === true && key.name === 'd') onEnd();
  };
  const stopWaiting = every(patienceMinutes * 60_000, () =>
    end(`Nobody has answered for ${patienceMinutes} minutes.`),
  );
  stdin.once('end', onEnd).on('keypress', onKey);
  try {
    const answer = await ask({ input: stdin, output: asWritable(stderr), signal: ended.signal });
    if (ended.signal.aborted) throw new CommandError('failed', why);
    return answer;
  } finally {
    stopWaiting();
    stdin.off('end', onEnd).off('keypress', onKey);
  }
}

function asWritable(output: Terminal['stderr']): NodeJS.WriteStream {
  return output as NodeJS.WriteStream; // prompts are shown only on a terminal, which is such a stream
}
