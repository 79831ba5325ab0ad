import { describe, expect, it } from 'vitest';
import { createProgram } from '../run-muster.ts';
import { processTerminal } from '../terminal/process-terminal.ts';
import { runIn } from '../testing/start-cli-test.ts';
import { complete } from './complete.ts';
import { shellCommands } from './shell-commands.ts';

const commands = shellCommands(await createProgram(processTerminal()));

/** Completes a line whose words contain no spaces. */
function completeLine(line: string) {
  return complete(commands, line.split(' ').slice(1), {
    listProfiles: async () => ['production', 'staging'],
  });
}

async function textsOf(line: string): Promise<readonly string[] | string> {
  const completion = await completeLine(line);
  return completion.kind === 'words' ? completion.words.map(({ text }) => text) : completion.kind;
}

describe('the candidates at the cursor', () => {
  it.each([
    ['muster tok', ['token']],
    ['muster token create x --pres', ['--preset']],
    ['muster token create x --preset v', ['viewer']],
    ['muster token create x --preset=v', ['--preset=viewer']],
    ['muster token create x --permission read:agent,update:tok', ['read:agent,update:token']],
    ['muster token delete x --y', ['--yes']],
    ['muster token list -q --st', ['--status']],
    ['muster profile use ', ['production', 'staging']],
    ['muster token list --profile=s', ['--profile=staging']],
    ['muster nothing t', []],
    ['muster token create -- --pres', []],
    ['muster token create ', []],
    ['muster completion bash -- ', []],
    ['muster copy --from s', ['sqlite:']],
    ['muster copy --from sqlite:da', 'directories'],
    ['muster agent register x --config m', 'files'],
    ['muster report -', ['--tee', '--']],
  ])('for %j', async (line, expected) => {
    const texts = await textsOf(line);
    if (line.endsWith(' -')) expect(texts).toEqual(expect.arrayContaining([...expected]));
    else expect(texts).toEqual(expected);
  });

  it('have summaries, and mark incomplete words', async () => {
    expect(await completeLine('muster tok')).toEqual({
      kind: 'words',
      isPartial: false,
      words: [{ text: 'token', summary: expect.stringMatching(/^Project tokens/) }],
    });
    expect(await completeLine('muster copy --from s')).toMatchObject({ isPartial: true });
  });

  it('for a file include the text before it in the same word', async () => {
    expect(await completeLine('muster serve --data-dir=da')).toEqual({
      kind: 'directories',
      before: '--data-dir=',
    });
    expect(await completeLine('muster copy --from=sqlite:da')).toEqual({
      kind: 'directories',
      before: '--from=sqlite:',
    });
  });

  it('after muster report are those of the command line of the agent', async () => {
    expect(await completeLine('muster report --name x -- tried-agent --fi')).toEqual({
      kind: 'command',
      start: 4,
    });
    expect(await completeLine('muster report tri')).toEqual({ kind: 'command', start: 1 });
  });

  it('include every command and every flag', async () => {
    for (const { path, flags, subcommands } of commands) {
      const start = `muster ${path}`.trim();
      expect(await textsOf(`${start} --`)).toEqual(
        expect.arrayContaining(flags.map(({ long }) => long).filter((long) => long.startsWith('--'))),
      );
      if (subcommands.length > 0)
        expect(await textsOf(`${start} `)).toEqual(subcommands.map(({ name }) => name));
    }
  });
});

describe('muster __complete', () => {
  it('prints the kind, its parameter and the words, and is in no list of commands', async () => {
    const run = (...words: string[]) => runIn('/nonexistent', ['__complete', '--', ...words], {});
    expect(await run('completion', 'f')).toEqual({ exitCode: 0, stdout: 'words\n\nfish\t\n', stderr: '' });
    expect(await run('copy', '--from', '')).toEqual({
      exitCode: 0,
      stdout: 'words\nnospace\nsqlite:\t\n',
      stderr: '',
    });
    expect(await run('serve', '--data-dir=')).toEqual({
      exitCode: 0,
      stdout: 'directories\n--data-dir=\n',
      stderr: '',
    });
    expect(await run('__')).toEqual({ exitCode: 0, stdout: 'words\n\n', stderr: '' });
    expect((await runIn('/nonexistent', ['--help'], {})).stdout).not.toContain('__complete');
  });
});
