import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodeMeanings, exitCodes } from '../cli/src/exit-codes.ts';
import { createProgram } from '../cli/src/run-muster.ts';
import { processTerminal } from '../cli/src/terminal/process-terminal.ts';
import { foldCommand } from './fold-command.ts';
import { bold, definition, escapeTroff, paragraph, section, subsection, verbatim } from './troff.ts';
import { root } from './workspace.mjs';

const program = await createProgram(processTerminal());

type Command = typeof program;
type Argument = Command['registeredArguments'][number];
type Option = Command['options'][number];

/** A manual page for `muster` and one for each of its direct subcommands, by file name. */
export function manPages(): Record<string, string> {
  const pages = commandsBelow(program).map((command): [string, string] => [
    `muster-${command.name()}.1`,
    page(`muster-${command.name()}`, summaryOf(command), [
      ...synopsis(leavesOf(command)),
      ...describeCommand(command),
      ...seeAlso(['muster']),
    ]),
  ]);
  return Object.fromEntries([['muster.1', overview(program)], ...pages]);
}

function overview(program: Command): string {
  const commands = commandsBelow(program);
  const groups = [...new Set(commands.map((command) => command.helpGroup()))];
  return page('muster', program.description(), [
    section('Synopsis'),
    `${bold('muster')} ${escapeTroff('command [options] [arguments]')}`,
    section('Description'),
    paragraph(
      'One command for the service, for the host of an agent, and for the people and scripts that work with a service. Each command has a page of its own; muster help COMMAND says the same in short.',
    ),
    section('Commands'),
    ...groups.flatMap((group) => [
      subsection(group.replace(/:$/, '')),
      ...commands
        .filter((command) => command.helpGroup() === group)
        .map((command) => definition(`${bold(`muster-${command.name()}`)}(1)`, summaryOf(command))),
    ]),
    section('Environment'),
    ...[...textAfterHelp(program).matchAll(/^ {2}(\S.*?) {2,}(\S.*)$/gm)].map(([, names = '', text = '']) =>
      definition(bold(names), text),
    ),
    section('Files'),
    ...files.map(([name, text]) => definition(bold(name), text)),
    section('Exit status'),
    ...exitStatus(),
    ...seeAlso(commands.map((command) => `muster-${command.name()}`)),
  ]);
}

const files = [
  ['$XDG_CONFIG_HOME/muster', 'Profiles and the tokens of those who are signed in. Else ~/.config/muster.'],
  ['$XDG_STATE_HOME/muster', 'What muster report has not sent yet. Else ~/.local/state/muster.'],
  [
    './data',
    'Data of muster serve, with the token of the administrator, unless MUSTER_DATA_DIR says otherwise.',
  ],
] as const;

function exitStatus(): string[] {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[]; // keys of a literal object
  return names.map((name) => definition(bold(String(exitCodes[name])), exitCodeMeanings[name]));
}

function page(name: string, summary: string, parts: readonly string[]): string {
  const { version } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8'));
  const head = [
    '.\\" Made by npm run docs.',
    `.TH ${escapeTroff(name.toUpperCase())} 1 "" "Muster ${version}" "Muster"`,
    // Hyphenation is off, because permissions and flags are copied from here.
    '.nh',
    section('Name'),
    `${escapeTroff(name)} \\- ${escapeTroff(summary.replace(/\.$/, ''))}`,
  ];
  return `${[...head, ...parts].join('\n')}\n`;
}

function synopsis(commands: readonly Command[]): string[] {
  const lines = commands.flatMap((command) => {
    const usages = command.usage().split(/\n\s*muster \S+ /);
    return usages.map((usage) => `${bold(pathOf(command))} ${escapeTroff(usage)}`);
  });
  return [section('Synopsis'), lines.join('\n.br\n')];
}

/** The description and usage of a command; of a noun, one verb after the other. */
function describeCommand(command: Command): string[] {
  const isNoun = commandsBelow(command).length > 0;
  const own = [section('Description'), paragraph(command.description())];
  if (!isNoun) return [...own, ...termsOf(command, section), ...furtherSections(command)];
  return [...own, section('Commands'), ...leavesOf(command).flatMap(describeVerb)];
}

function describeVerb(command: Command): string[] {
  const aliases = command.aliases().map((alias) => ` Also ${alias}.`);
  return [
    subsection(`${pathOf(command)} ${command.usage()}`),
    paragraph(`${command.description()}${aliases.join('')}`),
    ...termsOf(command, () => undefined),
    ...examplesOf(command).flatMap((examples) => [paragraph('Examples:'), examples]),
  ];
}

/** Its arguments and flags. */
function termsOf(command: Command, heading: (title: string) => string | undefined): string[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter((option) => option.long !== '--help');
  const argumentList = help.visibleArguments(command);
  const parts = [
    ...(argumentList.length > 0 ? [heading('Arguments'), ...argumentList.map(defineArgument)] : []),
    ...(options.length > 0 ? [heading('Options'), ...options.map(defineOption)] : []),
  ];
  return parts.filter((part) => part !== undefined);

  function defineOption(option: Option): string {
    return definition(bold(help.optionTerm(option)), help.optionDescription(option));
  }

  function defineArgument(argument: Argument): string {
    return definition(bold(`<${help.argumentTerm(argument)}>`), help.argumentDescription(argument));
  }
}

function furtherSections(command: Command): string[] {
  const examples = examplesOf(command).flatMap((lines) => [section('Examples'), lines]);
  const paragraphs = paragraphsAfterHelp(command).filter((text) => !text.startsWith('Examples:'));
  const notes = paragraphs.filter((text) => !/^Exit codes?: /.test(text));
  const exits = paragraphs.filter((text) => /^Exit codes?: /.test(text));
  return [
    ...(notes.length > 0 ? [section('Notes'), ...notes.map(paragraph)] : []),
    ...(exits.length > 0 ? [section('Exit status'), ...exits.map(paragraph)] : []),
    ...examples,
  ];
}

function examplesOf(command: Command): string[] {
  const examples = paragraphsAfterHelp(command).filter((text) => text.startsWith('Examples:'));
  return examples.map((text) => {
    const lines = text.split('\n').slice(1);
    const commandLines = lines.map((line) => line.trim().replace(/^(\$ )?/, '$ '));
    // Indented by 11 columns it fits a terminal of 80 columns, as the paragraphs do.
    return verbatim(commandLines.flatMap((line) => foldCommand(line, 69)));
  });
}

function seeAlso(names: readonly string[]): string[] {
  return [section('See also'), names.map((name) => `${bold(name)}(1)`).join(',\n')];
}

function paragraphsAfterHelp(command: Command): string[] {
  return textAfterHelp(command)
    .split(/\n{2,}/)
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

/** The text that `addHelpText` adds below the options, which the command tree does not contain. */
function textAfterHelp(command: Command): string {
  let printed = '';
  command.configureOutput({
    writeOut: (text) => {
      printed += text;
    },
  });
  command.outputHelp();
  return printed.slice(command.helpInformation().length);
}

function commandsBelow(command: Command): readonly Command[] {
  return command.commands.filter(isListed);
}

function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.filter(isListed).flatMap(leavesOf);
}

function summaryOf(command: Command): string {
  return command.summary() || command.description();
}

/** `muster token create`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** False for commands that only shells call. */
function isListed(command: Command): boolean {
  return !command.name().startsWith('__');
}
