import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Connection, connect } from './connection/connect.ts';
import { type OutputFlags, Printer } from './output/printer.ts';
import { defaultLast } from './output/take-last.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Flags that commands of the client share. */
export interface ClientFlags extends OutputFlags {
  readonly profile?: string;
  readonly project?: string;
}

export interface CommandHelp {
  /** One line in the list of commands. */
  readonly summary: string;
  /** More than that, where there is more to say. */
  readonly description?: string;
  /** Command lines that work as they are written. */
  readonly examples: readonly string[];
}

/** A noun, such as `token`, whose verbs are commands of their own. */
export function addNoun(program: Command, name: string, summary: string): Command {
  return program.command(name).summary(summary).description(summary);
}

/** A command that talks to a server: with `--profile`, and examples below its help. */
export function addClientCommand(parent: Command, nameAndArguments: string, help: CommandHelp): Command {
  return addLocalCommand(parent, nameAndArguments, help).addOption(
    new Option('--profile <name>', 'Server and credential to use. (MUSTER_PROFILE)'),
  );
}

/** A command that talks to nobody. */
export function addLocalCommand(parent: Command, nameAndArguments: string, help: CommandHelp): Command {
  const examples = help.examples.map((example) => `  $ ${example}\n`).join('');
  return parent
    .command(nameAndArguments)
    .summary(help.summary)
    .description(help.description ?? help.summary)
    .addHelpText('after', `\nExamples:\n${examples.trimEnd()}`);
}

export function addProjectFlag(command: Command): Command {
  return command.option(
    '--project <name|id>',
    "Project. (MUSTER_PROJECT) Default: the credential's own, the profile's, or the only one.",
  );
}

/** @param quiet what `--quiet` prints */
export function addOutputFlags(command: Command, quiet = 'Print ids alone.'): Command {
  return command
    .addOption(new Option('--json', 'Print JSON, with the fields of the API.').conflicts('quiet'))
    .addOption(new Option('-q, --quiet', quiet));
}

export function addListFlags(command: Command): Command {
  return addOutputFlags(command)
    .addOption(
      new Option('--last <n>', `The newest n. Default: ${defaultLast}.`)
        .argParser(readCount)
        .conflicts('all'),
    )
    .addOption(new Option('--all', 'All of them.'));
}

export function addYesFlag(command: Command): Command {
  return command.option('-y, --yes', 'Do it without asking.');
}

/** What a command works with. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly printer: Printer;
  readonly connection: Connection;
}

/** Signs in as the flags say, for a command that then does its work. @throws CommandError when not signed in */
export async function openContext(terminal: Terminal, flags: ClientFlags): Promise<CommandContext> {
  return {
    terminal,
    printer: new Printer(terminal, flags),
    connection: await connect(terminal, flags.profile),
  };
}

/** A whole number of 1 or more, for a flag. */
export function readCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && Number.isSafeInteger(count)) return count;
  throw new InvalidArgumentError('It takes a whole number of 1 or more.');
}

/** Gathers a flag that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
