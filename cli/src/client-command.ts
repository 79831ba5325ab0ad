import { quoteForShell } from '@muster/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Connection, connect } from './connection/connect.ts';
import { type OutputFlags, Printer } from './output/printer.ts';
import { defaultLast } from './output/take-last.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Flags of all commands that talk to a server. */
export interface ClientFlags extends OutputFlags {
  readonly profile?: string;
  readonly project?: string;
}

/** The flags that a further command needs to work on the same server and project; begins with a blank, or is empty. */
export function repeatedFlags({
  profile,
  project,
}: {
  readonly profile?: string | undefined;
  readonly project?: string | undefined;
}): string {
  const flags = { '--profile': profile, '--project': project };
  return Object.entries(flags)
    .map(([flag, value]) => (value === undefined ? '' : ` ${flag} ${quoteForShell(value)}`))
    .join('');
}

export interface CommandHelp {
  /** One line in the list of commands. */
  readonly summary: string;
  /** A longer description, if one line is not enough. */
  readonly description?: string;
  /** Complete command lines that work when copied. */
  readonly examples: readonly string[];
}

/** A noun, such as `token`, whose verbs are its subcommands. */
export function addNoun(program: Command, name: string, summary: string): Command {
  return program.command(name).summary(summary).description(summary);
}

/** A command that talks to a server: it has `--profile`, and examples in its help. */
export function addClientCommand(parent: Command, nameAndArguments: string, help: CommandHelp): Command {
  return addLocalCommand(parent, nameAndArguments, help).addOption(
    new Option('--profile <name>', 'Server and credential to use. (MUSTER_PROFILE)'),
  );
}

/** A command that talks to no server. */
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
    'Project. (MUSTER_PROJECT) Default: the project of the credential or of the profile, or the only project.',
  );
}

/** @param quiet describes what `--quiet` prints */
export function addOutputFlags(command: Command, quiet = 'Print only ids.'): Command {
  return addJsonFlag(command).addOption(new Option('-q, --quiet', quiet));
}

export function addJsonFlag(command: Command): Command {
  return command.addOption(
    new Option('--json', 'Print JSON, with the fields of the API.').conflicts('quiet'),
  );
}

export function addListFlags(command: Command): Command {
  return addOutputFlags(command)
    .addOption(
      new Option('--last <n>', `The newest n. Default: ${defaultLast}.`)
        .argParser(readCount)
        .conflicts('all'),
    )
    .addOption(new Option('--all', 'All of them.'))
    .addOption(
      new Option('--wide', 'Print whole ids and texts on a terminal too.').conflicts(['json', 'quiet']),
    );
}

export function addYesFlag(command: Command): Command {
  return command.option('-y, --yes', 'Do not ask for confirmation.');
}

/** The connection and the output of a command. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly printer: Printer;
  readonly connection: Connection;
}

/** Connects according to the flags, then runs the command. @throws CommandError when not signed in */
export async function openContext(terminal: Terminal, flags: ClientFlags): Promise<CommandContext> {
  return {
    terminal,
    printer: new Printer(terminal, flags),
    connection: await connect(terminal, flags.profile),
  };
}

/** Reads a flag that takes a whole number of 1 or more. */
export function readCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && Number.isSafeInteger(count)) return count;
  throw new InvalidArgumentError('It takes a whole number of 1 or more.');
}

/** Collects the values of a flag that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
