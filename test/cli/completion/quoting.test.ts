import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bashCompletion } from '../../../cli/src/completion/bash-completion.ts';
import { fishCompletion } from '../../../cli/src/completion/fish-completion.ts';
import { shellCommands } from '../../../cli/src/completion/shell-commands.ts';
import { zshCompletion } from '../../../cli/src/completion/zsh-completion.ts';
import { createProgram } from '../../../cli/src/run-muster.ts';
import { processTerminal } from '../../../cli/src/terminal/process-terminal.ts';
import { type CompletionFolder, makeCompletionFolder } from './completion-folder.ts';
import { ShellSession, whyNotTried } from './shell-session.ts';

const text = `It's "a" $(tried-agent) \`tried-agent\` [b] c:d \\ e *.`;
const words = ["it's", '$(tried-agent)', '`tried-agent`', 'a:b', 'c d', '*', '"', '\\', '[x]'];

function strangeCommands() {
  const program = createProgram(processTerminal()).createCommand('muster').description(text);
  program
    .command('odd')
    .summary(text)
    .description(text)
    .addOption(program.createOption('--word <word>', text).choices(words))
    .addOption(program.createOption('--alone', text));
  return shellCommands(program);
}

let folder: CompletionFolder;
beforeAll(() => {
  folder = makeCompletionFolder();
});
afterAll(() => folder.remove());

const shells = [
  {
    shell: 'bash',
    script: bashCompletion,
    file: 'completion',
    startup: [
      '.bashrc',
      `. ~/completion\nPS1='<ready>'\nshow() { printf '<<%s>>' "$READLINE_LINE"; READLINE_LINE= READLINE_POINT=0; }\nbind -x '"\\C-n": show'`,
    ],
    command: 'bash --noprofile -i',
  },
  {
    shell: 'zsh',
    script: zshCompletion,
    file: '.zfunc/_muster',
    startup: [
      '.zshrc',
      `fpath=(~/.zfunc $fpath)\nautoload -Uz compinit && compinit -u\nPS1='<ready>'\nshow() { printf '<<%s>>' "$BUFFER"; BUFFER= }\nzle -N show; bindkey '^N' show`,
    ],
    command: 'zsh -o no_global_rcs -i',
  },
  {
    shell: 'fish',
    script: fishCompletion,
    file: '.config/fish/completions/muster.fish',
    startup: [
      '.config/fish/config.fish',
      `function fish_prompt; printf '<ready>'; end\nfunction show; printf '<<%s>>' (commandline); commandline ''; end\nbind \\cn show`,
    ],
    command: 'fish -i',
  },
] as const;

describe.each(shells)('what stands in the script for $shell', ({ shell, script, file, startup, command }) => {
  const reason = whyNotTried(shell);
  if (reason !== undefined)
    process.stderr.write(`Skipped, what stands in the script for ${shell}: ${reason}.\n`);

  it.skipIf(reason !== undefined)('is text, whatever it looks like', async () => {
    const path = folder.write(file, script(strangeCommands()));
    expect(spawnSync(shell, ['-n', path], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    folder.write(startup[0], startup[1]);
    folder.write('.local/share/fish/generated_completions/none', '');
    const { env, workingDirectory } = folder;
    const session = await ShellSession.start({ command, env, workingDirectory });
    try {
      expect((await session.tab('muster od')).trimEnd()).toBe('muster odd');
      expect((await session.tab('muster odd --al')).trimEnd()).toBe('muster odd --alone');
      await session.tab('muster odd --word ');
      await session.tab('muster odd --word=');
      await session.tab('muster odd -');
      expect((await session.tab('muster odd --word a')).trimEnd()).toMatch(/^muster odd --word a\\?:b$/);
    } finally {
      await session.close();
    }
    expect(existsSync(join(folder.home, 'was-run'))).toBe(false);
  });
});
