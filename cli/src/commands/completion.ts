import { Argument, type Command } from 'commander';
import { addLocalCommand } from '../client-command.ts';
import { bashCompletion } from '../completion/bash-completion.ts';
import { fishCompletion } from '../completion/fish-completion.ts';
import { zshCompletion } from '../completion/zsh-completion.ts';
import type { Terminal } from '../terminal/terminal.ts';

const scripts = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
} as const;

type Shell = keyof typeof scripts;

/** `muster completion`: prints the script with which a shell completes commands and flags. */
export function addCompletionCommand(program: Command, terminal: Terminal): void {
  addLocalCommand(program, 'completion', {
    summary: 'Print a completion script for bash, zsh or fish.',
    description:
      'Prints a script with which the shell completes commands, flags and their values, and after muster report the command line of the agent. The script runs muster, which contacts no server. In zsh, source it after compinit.',
    examples: [
      'source <(muster completion bash)',
      'source <(muster completion zsh)',
      'muster completion fish > ~/.config/fish/completions/muster.fish',
    ],
  })
    .addArgument(new Argument('<shell>', 'Which one.').choices(Object.keys(scripts)))
    .action((shell: Shell) => {
      terminal.stdout.write(scripts[shell]);
    });
}
