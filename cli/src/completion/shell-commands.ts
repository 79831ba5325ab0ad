import type { Command } from 'commander';
import { type CompletedCommand, readCommandTree } from './command-tree.ts';

/** The commands for shell completion: including `help`, which the tree does not list, and with short descriptions. */
export function shellCommands(program: Command): CompletedCommand[] {
  return readCommandTree(program)
    .flatMap((command) => [command, ...helpBelow(command)])
    .map((command) => ({
      ...command,
      subcommands: command.subcommands.map((one) => ({ ...one, summary: firstSentence(one.summary) })),
      flags: command.flags.map((flag) => ({ ...flag, summary: firstSentence(flag.summary) })),
    }));
}

/** `muster token help`, which takes the name of a verb. */
function helpBelow({ path, subcommands }: CompletedCommand): CompletedCommand[] {
  const help = subcommands.find(({ name }) => name === 'help');
  if (help === undefined) return [];
  return [
    {
      path: `${path} help`.trim(),
      aliases: [],
      summary: help.summary,
      usage: '',
      subcommands: subcommands.filter((one) => one !== help),
      flags: [],
      argument: undefined,
    },
  ];
}

/** Shells show one line per candidate. */
function firstSentence(text: string): string {
  return /^.*?\.(?=\s+["(A-Z\d])/.exec(text)?.[0] ?? text;
}
