import type { Explanation } from '@muster/faults/explain';
import type { Command } from 'commander';
import { addLocalCommand, addOutputFlags } from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { formatExplanation, ofError } from '../../output/explanation-text.ts';
import { type OutputFlags, Printer } from '../../output/printer.ts';
import { createTones } from '../../output/tones.ts';
import { readStandardInput } from '../../read-text-file.ts';
import { type Terminal, widthOf } from '../../terminal/terminal.ts';

interface ExplainFlags extends OutputFlags {
  readonly type?: string;
}

const maxLogBytes = 64 * 1_048_576;

/** `muster error explain`: what a known error of an agent means, and what to do. Needs no server. */
export function addErrorExplainCommand(error: Command, terminal: Terminal): void {
  const command = addLocalCommand(error, 'explain <text|->', {
    summary: 'Explain an error of an agent, without a server.',
    description:
      'Says what an error of Fluent Bit, the OpenTelemetry Collector or Vector means, why it happens and what to do. It needs no server. With -, it reads a log from standard input and explains each known error in it once. If no error is known, it exits with 5.',
    examples: [
      "muster error explain 'no upstream connections available'",
      'journalctl -u fluent-bit -n 200 | muster error explain -',
    ],
  });
  addOutputFlags(command, 'Print the ids of the known errors alone.')
    .option('--type <type>', 'Only errors of this type of agent: fluentbit, otelcol or vector.')
    .action(async (text: string, flags: ExplainFlags) => {
      const printer = new Printer(terminal, flags);
      const texts = text === '-' ? (await readStandardInput(terminal, maxLogBytes)).split('\n') : [text];
      const explained = await explainEach(texts, flags.type);
      print(printer, explained, flags, terminal);
      if (explained.length > 0) return;
      throw new CommandError(
        'notFound',
        text === '-' ? 'None of these lines is a known error.' : 'This error is not known.',
        'Read the lines of the log before it: they often name the reason. Then search the documentation and the issues of the agent for the fixed part of the message.',
      );
    });
}

interface Explained {
  readonly text: string;
  readonly explanation: Explanation;
}

/** The explanations in the order of the texts, each once, with the first text that it explains. */
async function explainEach(texts: readonly string[], type: string | undefined): Promise<Explained[]> {
  const { catalogues, explainError } = await import('@muster/faults/explain');
  const types = catalogues.flatMap((catalogue) => catalogue.types);
  if (type !== undefined && !types.includes(type)) {
    throw new CommandError('usage', `There is no catalogue for '${type}': use ${types.join(', ')}.`);
  }
  const found = new Map<string, Explained>();
  for (const text of texts) {
    const explanation = explainError(text, type);
    if (explanation === undefined) continue;
    const key = `${explanation.id} ${explanation.suggestion ?? ''}`;
    if (!found.has(key)) found.set(key, { text, explanation });
  }
  return [...found.values()];
}

function print(
  printer: Printer,
  explained: readonly Explained[],
  { json, quiet }: OutputFlags,
  terminal: Terminal,
): void {
  const width = widthOf(terminal.stdout);
  const { strong } = createTones(terminal);
  if (json) printer.json(explained.map(({ explanation }) => explanation));
  else if (quiet) printer.raw(explained.map(({ explanation: { id } }) => `${id}\n`).join(''));
  else {
    const shown = explained.map(({ text, explanation }) =>
      formatExplanation(ofError(explanation, text), width, strong),
    );
    printer.raw(shown.join('\n'));
  }
}
