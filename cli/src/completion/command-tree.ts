import type { Argument, Command, Option } from 'commander';
import { type Values, valuesOf } from './values.ts';

/** One command as a shell completes it. */
export interface CompletedCommand {
  /** Names from below `muster` down to it, with spaces between them; empty for `muster` itself. */
  readonly path: string;
  /** Other paths that mean the same. */
  readonly aliases: readonly string[];
  readonly summary: string;
  /** Its arguments, as its help writes them. */
  readonly usage: string;
  readonly subcommands: readonly { readonly name: string; readonly summary: string }[];
  readonly flags: readonly CompletedFlag[];
  /** Its first argument; undefined where it takes none. */
  readonly argument: CompletedArgument | undefined;
}

interface CompletedArgument {
  /** As the help writes it: `name|id`. */
  readonly name: string;
  readonly values: Values;
  /** There may be any number of them. */
  readonly isVariadic: boolean;
}

export interface CompletedFlag {
  /** `--json`. */
  readonly long: string;
  /** `-q`. */
  readonly short: string | undefined;
  readonly summary: string;
  /** Undefined for a flag that stands alone. */
  readonly value: { readonly name: string; readonly values: Values } | undefined;
}

/** Every command of the tree, each before those below it. */
export function readCommandTree(command: Command, path = ''): CompletedCommand[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command).map((one) => ({
    name: one.name(),
    summary: one.summary() || one.description(),
  }));
  const above = path.split(' ').slice(0, -1);
  const here = {
    path,
    aliases: command.aliases().map((alias) => [...above, alias].join(' ')),
    summary: command.summary() || command.description(),
    usage: (command.usage().split('\n')[0] ?? '').replace(/\[options\] ?|\[command\]/g, '').trim(),
    subcommands,
    flags: help.visibleOptions(command).flatMap(toFlag),
    argument: command.registeredArguments.slice(0, 1).map((one) => toArgument(one, path))[0],
  };
  const visible = command.commands.filter((one) => subcommands.some(({ name }) => name === one.name()));
  const below = visible.flatMap((one) => readCommandTree(one, `${path} ${one.name()}`.trim()));
  return [here, ...below];
}

function toFlag(option: Option): CompletedFlag[] {
  const { long, short, description, required, optional, flags, argChoices } = option;
  if (long === undefined || long === null) return [];
  const [, name = ''] = /[<[]([^>\]]+)[>\]]/.exec(flags) ?? [];
  const values: Values = long === '--profile' ? { kind: 'profile' } : valuesOf(name, argChoices);
  return [
    {
      long,
      short: short ?? undefined,
      summary: description,
      value: required || optional ? { name, values } : undefined,
    },
  ];
}

function toArgument(argument: Argument, path: string): CompletedArgument {
  const name = argument.name();
  const isProfile = path.startsWith('profile ');
  const values: Values = isProfile ? { kind: 'profile' } : valuesOf(name, argument.argChoices);
  return { name, values, isVariadic: argument.variadic };
}
