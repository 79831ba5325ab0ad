import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completed, offered } from './completion-cases.ts';
import { type CompletionFolder, makeCompletionFolder } from './completion-folder.ts';
import { left, ShellSession, whyNotTried, wordsPutIn } from './shell-session.ts';

const reason = whyNotTried('fish');
if (reason !== undefined) process.stderr.write(`Skipped, completion in a real fish: ${reason}.\n`);

/** Fish has no key that inserts all candidates, but it can list them. */
const keys = `
set -g fish_greeting
function fish_prompt; printf '<ready>'; end
stty cols 200
function show; printf '<<%s>>' (commandline); commandline ''; end
function all
    set -l words (complete -C (commandline -c) | string split -f1 \\t)
    set -q words[1]; and commandline (commandline -c | string replace -r '[^ ]*$' '')(string join -- ' ' (string escape -n -- $words))
end
bind \\cn show
bind \\ct all
`;

let folder: CompletionFolder;
beforeAll(() => {
  folder = makeCompletionFolder();
});
afterAll(() => folder.remove());

describe.skipIf(reason !== undefined)('completion in fish', () => {
  let fish: ShellSession;
  beforeAll(async () => {
    folder.write('.config/fish/completions/muster.fish', folder.scripts.fish);
    folder.write('.config/fish/config.fish', `${keys}complete -c tried-agent -l of-its-own\n`);
    // Without it, the first start reads all manuals of the machine.
    mkdirSync(join(folder.home, '.local/share/fish/generated_completions'), { recursive: true });
    const { env, workingDirectory } = folder;
    fish = await ShellSession.start({ command: 'fish -i', env, workingDirectory });
  });
  afterAll(() => fish.close());

  it.each(offered)('%s', async (line, words) => {
    expect(wordsPutIn(line, await fish.all(line))).toEqual(words);
  });

  it.each(completed)('%s + TAB', async (line, whole) => {
    expect((await fish.tab(line)).trimEnd()).toBe(whole);
  });

  it('completes at the cursor, whatever follows it', async () => {
    expect(await fish.tab(`muster tok list${left.repeat(5)}`)).toBe('muster token list');
  });

  it.each(['not', '!', 'command', 'exec', 'time', 'LC_ALL=C command', 'true; and', 'if', 'begin;'])(
    'completes behind %s',
    async (words) => {
      expect(await fish.tab(`${words} muster tok`)).toBe(`${words} muster token `);
    },
  );

  it('offers nothing if the command is complete', async () => {
    expect(await fish.all('muster completion bash ')).toBe('muster completion bash ');
  });

  it('completes the command of muster report as that command alone', async () => {
    expect(await fish.tab('muster report --tee -- tried-agent x --of')).toBe(
      'muster report --tee -- tried-agent x --of-its-own ',
    );
  });

  it('describes commands', async () => {
    const from = fish.screen.length;
    await fish.tab('muster access-token ');
    expect(fish.screen.slice(from)).toContain('List your access tokens, newest first.');
  });

  it('ran no other program and printed only candidates', () => {
    expect(existsSync(join(folder.home, 'was-run'))).toBe(false);
    expect(fish.screen).not.toMatch(/__muster|muster\.fish|in function|fish:/);
  });
});
