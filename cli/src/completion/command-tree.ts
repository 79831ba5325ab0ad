import type { Argument, Command, Option } from 'commander';
import { type Values, valuesOf } from './values.ts';

/** A command, described for shell completion. */
export interface CompletedCommand {
  /** The names that lead to it from `muster`, separated by spaces; empty for `muster` itself. */
  readonly path: string;
  /** Other paths to the same command. */
  readonly aliases: readonly string[];
  readonly summary: string;
  /** Its arguments in the notation of its help. */
  readonly usage: string;
  readonly subcommands: readonly { readonly name: string; readonly summary: string }[];
  readonly flags: readonly CompletedFlag[];
  /** Its first argument; undefined if it takes none. */
  readonly argument: CompletedArgument | undefined;
}

interface CompletedArgument {
  /** In the notation of the help: `name|id`. */
  readonly name: string;
  readonly values: Values;
  /** True if the argument may be repeated. */
  readonly isVariadic: boolean;
}

export interface CompletedFlag {
  /** `--json`. */
  readonly long: string;
  /** `-q`. */
  readonly short: string | undefined;
  readonly summary: string;
  /** The value that the flag takes; undefined if it takes none. */
  readonly value: { readonly name: string; readonly values: Values } | undefined;
}

/** Every command of the tree, each before its subcommands. */
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
