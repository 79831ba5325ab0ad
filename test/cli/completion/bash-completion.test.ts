import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completed, offered } from './completion-cases.ts';
import { type CompletionFolder, makeCompletionFolder } from './completion-folder.ts';
import { left, ShellSession, whyNotTried, wordsPutIn } from './shell-session.ts';

const reason = whyNotTried('bash');
if (reason !== undefined) process.stderr.write(`Skipped, completion in a real bash: ${reason}.\n`);

const bashCompletionPackage = '/usr/share/bash-completion/bash_completion';
const hasPackage = existsSync(bashCompletionPackage);
if (!hasPackage)
  process.stderr.write('Skipped, completion with the package bash-completion: it is not installed.\n');

const keys = `
PS1='<ready>'
stty cols 200
bind 'set bell-style none'
bind '"\\C-t": insert-completions'
show() { printf '<<%s>>' "$READLINE_LINE"; READLINE_LINE= READLINE_POINT=0; }
bind -x '"\\C-n": show'
`;

let folder: CompletionFolder;
beforeAll(() => {
  folder = makeCompletionFolder();
});
afterAll(() => folder.remove());

/** A bash that is set up as the manual says, with additional settings of its user. */
function startBash(name: string, settings: string): Promise<ShellSession> {
  folder.write('completion.bash', folder.scripts.bash);
  const startup = folder.write(`${name}.bashrc`, `. ~/completion.bash\n${keys}${settings}`);
  const { env, workingDirectory } = folder;
  return ShellSession.start({ command: `bash --noprofile --rcfile ${startup} -i`, env, workingDirectory });
}

describe.skipIf(reason !== undefined)('completion in bash', () => {
  let bash: ShellSession;
  beforeAll(async () => {
    bash = await startBash('plain', '');
  });
  afterAll(() => bash.close());

  it.each(offered)('%s', async (line, words) => {
    expect(wordsPutIn(line, await bash.all(line))).toEqual(words);
  });

  it.each(completed)('%s + TAB', async (line, whole) => {
    expect((await bash.tab(line)).trimEnd()).toBe(whole);
  });

  it('completes at the cursor, whatever follows it', async () => {
    expect(await bash.tab(`muster tok list${left.repeat(5)}`)).toBe('muster token list');
  });

  it('offers nothing if the command is complete', async () => {
    expect(await bash.all('muster completion bash ')).toBe('muster completion bash ');
  });

  it('offers flags if nothing else is possible', async () => {
    expect(wordsPutIn('muster profile list ', await bash.all('muster profile list '))).toEqual([
      '--json',
      '--quiet',
    ]);
  });

  it('ran no other program and printed only candidates', () => {
    expect(existsSync(join(folder.home, 'was-run'))).toBe(false);
    expect(bash.screen).not.toMatch(/_muster|bash:|completion\.bash/);
  });
});

const habits: readonly (readonly [name: string, settings: string])[] = [
  ['set -u', 'set -u'],
  ['set -e', 'set -e'],
  ['set -f', 'set -f'],
  ['posix mode', 'set -o posix'],
  ['failglob', 'shopt -s failglob'],
  ['a strange IFS', 'IFS=te:'],
  ['= and : as letters', `COMP_WORDBREAKS=\${COMP_WORDBREAKS//[=:]/}`],
];

describe.skipIf(reason !== undefined).each(habits)('completion in a bash with %s', (name, settings) => {
  it('is the same, without warnings', async () => {
    const bash = await startBash(name.replaceAll(/\W/g, ''), settings);
    try {
      const lines = [];
      for (const [line] of completed) lines.push((await bash.tab(line)).trimEnd());
      const isWhole = settings.startsWith('COMP_WORDBREAKS');
      // After an = that is a letter, bash sees the file as one of several words and adds a space after a directory.
      const expected = completed.map(([line, whole]) =>
        isWhole && /[=:]da$/.test(line) ? whole.replace(/\/$/, '') : whole,
      );
      expect(lines).toEqual(expected);
      expect(wordsPutIn('muster profile use ', await bash.all('muster profile use '))).toEqual([
        'production',
        'staging',
      ]);
      expect(bash.screen).not.toMatch(/_muster|bash:|completion\.bash/);
    } finally {
      await bash.close();
    }
  });
});

describe.skipIf(reason !== undefined || !hasPackage)(
  'completion in a bash with the package bash-completion',
  () => {
    let bash: ShellSession;
    beforeAll(async () => {
      folder.write('.local/share/bash-completion/completions/muster', folder.scripts.bash);
      const startup = folder.write(
        'package.bashrc',
        `. ${bashCompletionPackage}\ncomplete -W '--of-its-own' tried-agent\n${keys}`,
      );
      const { env, workingDirectory } = folder;
      bash = await ShellSession.start({
        command: `bash --noprofile --rcfile ${startup} -i`,
        env,
        workingDirectory,
      });
    });
    afterAll(() => bash.close());

    it('finds the script in the folder for user completions', async () => {
      expect(await bash.tab('muster tok')).toBe('muster token ');
    });

    it('completes the command of muster report as that command alone', async () => {
      expect(await bash.tab('muster report --tee -- tried-agent x --of')).toBe(
        'muster report --tee -- tried-agent x --of-its-own ',
      );
    });

    it('printed only candidates', () => {
      expect(bash.screen).not.toMatch(/_muster|bash:|completions\/muster/);
    });
  },
);
