import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bashCompletion } from '../../../cli/src/completion/bash-completion.ts';
import { fishCompletion } from '../../../cli/src/completion/fish-completion.ts';
import { zshCompletion } from '../../../cli/src/completion/zsh-completion.ts';

const builtCommand = fileURLToPath(new URL('../../../cli/bin/muster.mjs', import.meta.url));

/** A home directory with two profiles and a few files. */
export interface CompletionFolder {
  readonly home: string;
  readonly workingDirectory: string;
  /** The completion script of each shell. */
  readonly scripts: { readonly bash: string; readonly zsh: string; readonly fish: string };
  /** The environment of a shell. */
  readonly env: Readonly<Record<string, string>>;
  /** Writes a file below the home directory; returns its path. */
  write(path: string, content: string): string;
  remove(): void;
}

export function makeCompletionFolder(): CompletionFolder {
  const home = mkdtempSync(join(tmpdir(), 'muster-completion-'));
  const write = (path: string, content: string): string => {
    const file = join(home, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  for (const name of ['production', 'staging']) write(`.config/muster/profiles/${name}.json`, '{}');
  for (const file of ['my file', 'my folder/x', 'data/x']) write(`work/${file}`, '');
  // A command that is completed and must not be run.
  chmodSync(write('bin/tried-agent', `#!/bin/sh\necho "$@" >> '${join(home, 'was-run')}'\n`), 0o755);
  mkdirSync(join(home, 'answers'));
  chmodSync(write('bin/muster', rememberingMuster(home)), 0o755);
  return {
    home,
    workingDirectory: join(home, 'work'),
    scripts: { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion },
    env: { HOME: home, PATH: `${join(home, 'bin')}:${process.env.PATH ?? ''}` },
    write,
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/**
 * The built command, which answers the same words once and is then remembered: a start of it takes most of the time of a completion, and its
 * answer depends on nothing but its words and the home directory.
 */
function rememberingMuster(home: string): string {
  return `#!/bin/sh
IFS='|'
answer='${home}/answers/'$(printf '%s' "$*" | tr / '~')
[ -e "$answer" ] || { '${process.execPath}' '${builtCommand}' "$@" > "$answer.new" && mv "$answer.new" "$answer"; } || exit
exec cat "$answer"
`;
}
