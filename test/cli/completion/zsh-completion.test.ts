import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completed, offered } from './completion-cases.ts';
import { type CompletionFolder, makeCompletionFolder } from './completion-folder.ts';
import { left, ShellSession, whyNotTried, wordsPutIn } from './shell-session.ts';

const reason = whyNotTried('zsh');
if (reason !== undefined) process.stderr.write(`Skipped, completion in a real zsh: ${reason}.\n`);

const keys = `
PS1='<ready>'
stty cols 200
zle -C all complete-word _generic
zstyle ':completion:all:*' completer _all_matches _complete
zstyle ':completion:all:*' insert true
bindkey '^T' all
show() { printf '<<%s>>' "$BUFFER"; BUFFER= }
zle -N show
bindkey '^N' show
`;

let folder: CompletionFolder;
beforeAll(() => {
  folder = makeCompletionFolder();
});
afterAll(() => folder.remove());

/** A zsh with only a startup file of its user. */
function startZsh(name: string, startup: string): Promise<ShellSession> {
  folder.write(`${name}/.zshrc`, `${startup}\n${keys}`);
  const { env, home, workingDirectory } = folder;
  return ShellSession.start({
    command: 'zsh -o no_global_rcs -i',
    env: { ...env, ZDOTDIR: join(home, name) },
    workingDirectory,
  });
}

describe.skipIf(reason !== undefined)('completion in zsh', () => {
  let zsh: ShellSession;
  beforeAll(async () => {
    folder.write('.zfunc/_muster', folder.scripts.zsh);
    const ofTheAgent = `_tried_agent() { _arguments '--of-its-own[x]' '*:file:_files' }; compdef _tried_agent tried-agent`;
    zsh = await startZsh(
      'plain',
      `fpath=(~/.zfunc $fpath)\nautoload -Uz compinit && compinit -u\n${ofTheAgent}`,
    );
  });
  afterAll(() => zsh.close());

  it.each(offered)('%s', async (line, words) => {
    expect(wordsPutIn(line, await zsh.all(line))).toEqual(words);
  });

  it.each(completed)('%s + TAB', async (line, whole) => {
    expect((await zsh.tab(line)).trimEnd()).toBe(whole);
  });

  it('completes at the cursor, whatever follows it', async () => {
    expect(await zsh.tab(`muster tok list${left.repeat(5)}`)).toBe('muster token  list');
  });

  it('leaves room for the value of a flag', async () => {
    expect(await zsh.tab('muster token create x --pres')).toBe('muster token create x --preset ');
  });

  it('completes the command of muster report as that command alone', async () => {
    expect(await zsh.tab('muster report --tee -- tried-agent x --of')).toBe(
      'muster report --tee -- tried-agent x --of-its-own ',
    );
  });

  it('describes commands', async () => {
    const from = zsh.screen.length;
    await zsh.tab('muster access-token ');
    expect(zsh.screen.slice(from)).toContain('-- List your access tokens, newest first.');
  });

  it('ran no other program and printed only candidates', () => {
    expect(existsSync(join(folder.home, 'was-run'))).toBe(false);
    expect(zsh.screen).not.toMatch(/_muster|_\w+:\d+|zsh:|not found/);
  });
});

describe.skipIf(reason !== undefined)('the script for zsh', () => {
  it('can be read by a startup file, after compinit', async () => {
    folder.write('completion.zsh', folder.scripts.zsh);
    const zsh = await startZsh('read', 'autoload -Uz compinit && compinit -u\nsource ~/completion.zsh');
    try {
      expect(await zsh.tab('muster tok')).toBe('muster token ');
    } finally {
      await zsh.close();
    }
  });

  it('reports what is missing if it is read before compinit', () => {
    const file = folder.write('completion.zsh', folder.scripts.zsh);
    const { status, stdout, stderr } = spawnSync('zsh', ['-f', '-c', `source ${file}`], { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: '',
      stderr:
        'The completion of muster is not set up: run "autoload -Uz compinit; compinit" before this script.\n',
    });
  });
});
