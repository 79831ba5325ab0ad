import type { Command, Option } from 'commander';

/** One command as a shell completes it. */
export interface CompletedCommand {
  /** Names from below `muster` down to it, with spaces between them; empty for `muster` itself. */
  readonly path: string;
  readonly summary: string;
  /** Its arguments, as its help writes them. */
  readonly usage: string;
  readonly subcommands: readonly { readonly name: string; readonly summary: string }[];
  readonly flags: readonly CompletedFlag[];
  /** What its first argument can be, where that is one of a few words. */
  readonly words: readonly string[];
}

export interface CompletedFlag {
  /** `--json`. */
  readonly long: string;
  /** `-q`. */
  readonly short: string | undefined;
  readonly summary: string;
  readonly takes: 'nothing' | 'text' | 'file' | 'directory';
  /** What its value can be, where that is one of a few words. */
  readonly words: readonly string[];
}

/** Every command of the tree, each before those below it. */
export function readCommandTree(command: Command, path = ''): CompletedCommand[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command).map((one) => ({
    name: one.name(),
    summary: one.summary() || one.description(),
  }));
  const here = {
    path,
    summary: command.summary() || command.description(),
    usage: (command.usage().split('\n')[0] ?? '').replace(/\[options\] ?|\[command\]/g, '').trim(),
    subcommands,
    flags: help.visibleOptions(command).flatMap(toFlag),
    words: command.registeredArguments[0]?.argChoices ?? [],
  };
  const below = command.commands.flatMap((one) => readCommandTree(one, `${path} ${one.name()}`.trim()));
  return [here, ...below];
}

function toFlag(option: Option): CompletedFlag[] {
  const { long, short, description, required, optional, flags, argChoices } = option;
  if (long === undefined || long === null) return [];
  return [
    {
      long,
      short: short ?? undefined,
      summary: description,
      takes: required || optional ? kindOfValue(flags) : 'nothing',
      words: argChoices ?? [],
    },
  ];
}

/** By the word that stands for the value in the help. */
function kindOfValue(flags: string): 'text' | 'file' | 'directory' {
  const [, placeholder = ''] = /[<[]([^>\]]+)[>\]]/.exec(flags) ?? [];
  if (/directory|path/.test(placeholder)) return 'directory';
  return placeholder === 'file' ? 'file' : 'text';
}
