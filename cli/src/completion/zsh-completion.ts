import type { CompletedArgument, CompletedCommand, CompletedFlag } from './command-tree.ts';
import { quoteWord } from './quote-word.ts';
import type { Values } from './values.ts';

/** A script for zsh 5 and newer: as `_muster` in a folder of `fpath`, or read after `compinit`. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef muster
# zsh completion for muster. Made by: muster completion zsh
${listFunctions(commands).join('\n')}
__muster_directory() {
  if [[ -n $1 ]] && ! compset -P "$1"; then
    compadd -S '' -- "$1"
  else
    _files -/
  fi
}
__muster_profile() {
  local above=$XDG_CONFIG_HOME
  [[ $above == /* ]] || above=$HOME/.config
  local -a names=($above/muster/profiles/*.json(N:t:r))
  compadd -a names
}
# Names an argument that is due; but a message keeps zsh from completing a flag that begins there.
__muster_text() {
  [[ $PREFIX == -* ]] || _message -e arguments "$1"
}
__muster_command() {
  if [[ $words[1] == -- ]]; then
    shift words
    (( CURRENT-- ))
  fi
  _normal
}
${commands.map((command) => commandFunction(command, commands)).join('\n')}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _muster "$@"
elif (( $+functions[compdef] )); then
  compdef _muster muster
else
  print -u2 'The completion of muster is not set up: run "autoload -Uz compinit; compinit" before this script.'
fi
`;
}

function commandFunction(command: CompletedCommand, all: readonly CompletedCommand[]): string {
  const { path, subcommands, flags, argument } = command;
  const specs = [...flags.flatMap(flagSpecs), ...argumentSpecs(argument)];
  if (subcommands.length === 0) return `${functionOf(path)}() {\n  ${callArguments('-s -S', specs)}\n}`;
  const described = subcommands.map(({ name, summary }) => quoteWord(`${name}:${summary}`));
  const below = all.filter((one) => one.path !== '' && parentOf(one.path) === path);
  const further = below.length === 0 ? [] : ['*:: :->further'];
  return `${functionOf(path)}() {
  local curcontext=$curcontext context state state_descr line
  local -a described
  typeset -A opt_args
  ${callArguments('-s -S -C', [...specs, '1: :->command', ...further])} && return
  case $state in
    command)
      described=(
        ${described.join('\n        ')}
      )
      _describe -t commands command described
      ;;
    further)
      case $line[1] in
${below.map(callBelow).join('\n')}
      esac
      ;;
  esac
}`;
}

/** Words with commas between them: a function for each placeholder, `__muster_permission`. */
function listFunctions(commands: readonly CompletedCommand[]): string[] {
  const functions = commands
    .flatMap(({ flags }) => flags)
    .flatMap(({ value }) =>
      value?.values.kind === 'list'
        ? [
            `${listFunctionOf(value.name)}() {\n  compset -P '*,'\n  compadd -- ${value.values.words.map(quoteWord).join(' ')}\n}`,
          ]
        : [],
    );
  return [...new Set(functions)];
}

function listFunctionOf(placeholder: string): string {
  return `__muster_${placeholder}`;
}

function callArguments(options: string, specs: readonly string[]): string {
  return `_arguments ${options} : \\\n    ${specs.map(quoteWord).join(' \\\n    ')}`;
}

function callBelow({ path, aliases }: CompletedCommand): string {
  return `        ${[path, ...aliases].map(lastOf).join(' | ')}) ${functionOf(path)} ;;`;
}

/** A flag with a value may come again: some add to what was given before, and of the others the last one counts. */
function flagSpecs({ long, short, summary, value }: CompletedFlag): string[] {
  const text = `[${summary.replaceAll(/[\\[\]]/g, '\\$&')}]`;
  if (value !== undefined)
    return [`*${long}=${text}:${escapeColons(summary)}:${action(value.name, value.values)}`];
  const names = short === undefined ? [long] : [short, long];
  const excluded = long === '--help' ? '- *' : names.join(' ');
  return names.map((name) => `(${excluded})${name}${text}`);
}

function argumentSpecs(argument: CompletedArgument | undefined): string[] {
  if (argument === undefined) return [];
  const { name, values, isVariadic } = argument;
  if (values.kind === 'command') return [`*::${escapeColons(name)}: __muster_command`];
  const does =
    values.kind === 'text' ? ` __muster_text ${quoteWord(escapeColons(name))}` : action(name, values);
  return [`${isVariadic ? '*' : '1'}:${escapeColons(name)}:${does}`];
}

/** What `_arguments` does for a value; a space first: it is run as it stands. */
function action(name: string, values: Values): string {
  switch (values.kind) {
    case 'words':
      return `(${values.words.map((word) => escapeColons(quoteWord(word))).join(' ')})`;
    case 'list':
      return ` ${listFunctionOf(name)}`;
    case 'file':
      return '_files';
    case 'directory':
      return ` __muster_directory ${quoteWord(escapeColons(values.prefix))}`;
    case 'profile':
      return ' __muster_profile';
    case 'command':
      return ' __muster_command';
    case 'text':
      return ' ';
  }
}

/** A colon ends a part of a specification. */
function escapeColons(text: string): string {
  return text.replaceAll(':', '\\:');
}

function functionOf(path: string): string {
  return ['_muster', ...path.split(/[ -]/)].filter((part) => part !== '').join('_');
}

function parentOf(path: string): string {
  return path.split(' ').slice(0, -1).join(' ');
}

function lastOf(path: string): string {
  return path.split(' ').at(-1) ?? path;
}
