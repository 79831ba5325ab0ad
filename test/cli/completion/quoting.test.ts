import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bashCompletion } from '../../../cli/src/completion/bash-completion.ts';
import { fishCompletion } from '../../../cli/src/completion/fish-completion.ts';
import { zshCompletion } from '../../../cli/src/completion/zsh-completion.ts';
import { type CompletionFolder, makeCompletionFolder } from './completion-folder.ts';
import { ShellSession, whyNotTried } from './shell-session.ts';

const text = `It's "a" $(tried-agent) \`tried-agent\` [b] c:d \\ e *.`;
const words = ["it's", '$(tried-agent)', '`tried-agent`', 'a:b', 'c d', '*', '"', '\\', '[x]'];

/** A fake muster that offers strange words with strange summaries: those that begin with the typed text. */
const strangeMuster = `#!/bin/sh
for typed do :; done
echo words
echo
awk -v typed="$typed" 'index($0, typed) == 1' <<'END'
odd\t${text}
--alone\t${text}
${words.map((word) => `${word}\t${text}`).join('\n')}
END
`;

let folder: CompletionFolder;
beforeAll(() => {
  folder = makeCompletionFolder();
  rmSync(join(folder.home, 'bin/muster'));
  chmodSync(folder.write('bin/muster', strangeMuster), 0o755);
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

describe.each(shells)('what muster answers $shell', ({ shell, script, file, startup, command }) => {
  const reason = whyNotTried(shell);
  if (reason !== undefined) process.stderr.write(`Skipped, what muster answers ${shell}: ${reason}.\n`);

  it.skipIf(reason !== undefined)('is always treated as text', async () => {
    const path = folder.write(file, script);
    expect(spawnSync(shell, ['-n', path], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    folder.write(startup[0], startup[1]);
    folder.write('.local/share/fish/generated_completions/none', '');
    const { env, workingDirectory } = folder;
    const session = await ShellSession.start({ command, env, workingDirectory });
    try {
      await session.tab('muster ');
      for (const typed of ['$', '`', '*', '"', '[', 'a', 'c', 'it']) await session.tab(`muster ${typed}`);
      expect((await session.tab('muster odd --al')).trimEnd()).toBe('muster odd --alone');
    } finally {
      await session.close();
    }
    expect(existsSync(join(folder.home, 'was-run'))).toBe(false);
  });
});
