import { describe, expect, it } from 'vitest';
import { createProgram } from '../../cli/src/run-muster.ts';
import { processTerminal } from '../../cli/src/terminal/process-terminal.ts';
import { filledIn, readSuggestedCommands } from './read-commands.ts';

/** Texts that look like a command line and are none: names of sessions, keys and messages, and beginnings. */
const others = [
  'report',
  'backup',
  'restore',
  'doctor',
  'alert channels',
  'key id',
  'in STATE_DIRECTORY or XDG_STATE_HOME)',
  `rotation ${filledIn} ${filledIn}`,
  'error dismiss --reason TEXT --group',
  'error list --status dismissed --group',
];

type Command = Awaited<ReturnType<typeof createProgram>>;

const suggested = readSuggestedCommands().filter(({ text }) => !others.includes(text));

/** What a sentence may leave out. */
const omissions = [
  'commander.missingArgument',
  'commander.missingMandatoryOptionValue',
  'commander.optionMissingArgument',
  'commander.help',
  'commander.invalidArgument',
];

describe('commands that the product suggests', () => {
  it('are found in the dashboard, the service and the command itself', () => {
    const texts = suggested.filter(({ isWhole }) => isWhole).map(({ file, text }) => `${file}: ${text}`);
    expect(texts).toEqual(
      expect.arrayContaining([
        'web/src/texts/members.ts: invite --role operator --email ada@example.com',
        'web/src/texts/causes.ts: report - --token-file agent-token',
        'web/src/tokens/token-snippets.ts: report -- fluent-bit -c /etc/fluent-bit/fluent-bit.conf',
        `server/src/errors/alerts/rules/describe-alert.ts: token usage ${filledIn}`,
        'cli/src/commands/people/invitations.ts: invite --permission read:agent,read:agent_error --quiet',
      ]),
    );
  });

  it.each(suggested)('$file: muster $text', async ({ text, isWhole }) => {
    const refusal = await refusalOf(wordsOf(text));
    const isVerbFilledIn = refusal?.message.includes(`unknown command '${filledIn}'`);
    if (isVerbFilledIn || refusal?.code === 'commander.helpDisplayed') return;
    if (isWhole || !omissions.includes(refusal?.code ?? '')) expect(refusal?.message).toBeUndefined();
  });
});

describe('a command that does not exist', () => {
  it.each([
    ['alert rule create new_group', "required option '--kind <kind>' not specified"],
    [
      'alert rule create --kind new_group extra',
      "too many arguments for 'create'. Expected 0 arguments but got 1.",
    ],
    ['alert rule xyz', "unknown command 'xyz'"],
    ['token create edge --prest agent', "unknown option '--prest'\n(Did you mean --preset?)"],
    ['invitation accept', "missing required argument 'link'"],
  ])('is refused: muster %s', async (text, message) => {
    expect((await refusalOf(wordsOf(text)))?.message).toBe(`error: ${message}`);
  });
});

/** What the real command line says to these words. Runs nothing. */
async function refusalOf(
  words: readonly string[],
): Promise<{ readonly code: string; readonly message: string } | undefined> {
  const program = await createProgram(processTerminal());
  doNothing(program);
  try {
    await program.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return { code: String(error.code), message: error.message };
  }
}

function doNothing(command: Command): void {
  command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  if (command.commands.length === 0) command.action(() => undefined);
  for (const subcommand of command.commands) doNothing(subcommand);
}

/** As a shell splits them; nothing is substituted. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}
