import type { CompletedArgument, CompletedCommand, CompletedFlag } from './command-tree.ts';
import type { Values } from './values.ts';

/** A script for fish 3 and newer. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  return `# fish completion for muster. Made by: muster completion fish
# Exit status 0 where the cursor stands in the command $argv[1]; with $argv[2], after so many of its arguments.
function __muster_at
    set -l at
    set -l count 0
    set -l flag
    set -l is_ended
    for word in (__muster_words)[2..-1]
        if test -n "$flag"
            set flag
        else if test -z "$is_ended" -a "$word" = --
            set is_ended 1
        else if test -z "$is_ended" && string match -qr -- '^-.' $word
            __muster_takes_value $word; and set flag $word
        else if test $count -gt 0
            set count (math $count + 1)
        else
            switch (string join ' ' -- $at $word)
${commands.flatMap(commandCases).join('\n')}
                case '*'
                    set count 1
            end
        end
    end
    test "$at" = "$argv[1]"; and begin
        not set -q argv[2]; or test $count = $argv[2]
    end
end
function __muster_takes_value
    contains -- $argv[1] ${flagsWithValue(commands).join(' ')}
end
# What was typed from muster on: variables and command may stand before it.
function __muster_words
    set -l words (commandline -opc)
    while set -q words[1]; and string match -qr -- '^(\\w+=.*|command|exec)$' $words[1]
        set -e words[1]
    end
    string join \\n -- $words
end
# The value that is typed, without its flag.
function __muster_value
    commandline -ct | string replace -r '^--[^=]*=' ''
end
function __muster_list
    set -l before (__muster_value | string match -r '.*,')
    printf '%s\\n' "$before"$argv
end
function __muster_directory
    set -l value (__muster_value)
    if string match -q -- "$argv[1]*" "$value"
        set -l rest (string replace -- "$argv[1]" '' "$value")
        printf '%s\\n' $argv[1](__fish_complete_directories "$rest" '')
    else
        printf '%s\\n' $argv[1]
    end
end
function __muster_profile
    set -l above "$XDG_CONFIG_HOME"
    string match -q -- '/*' "$above"; or set above ~/.config
    set -l files $above/muster/profiles/*.json
    set -q files[1]; and string replace -r -- '.*/(.*)\\.json$' '$1' $files
end
function __muster_command
    set -l words (__muster_words)[3..-1]
    if set -l end (contains -i -- -- $words)
        set -e words[1..$end]
    end
    while set -q words[1]; and string match -qr -- '^-.' $words[1]
        __muster_takes_value $words[1]; and set -e words[1]
        set -e words[1]
    end
    set -l line (string join ' ' -- (string escape -- $words) (commandline -ct))
    string match -q -- '-*' "$line"; or complete -C "$line"
end
complete -c muster -f
${commands.flatMap(completions).join('\n')}
`;
}

function commandCases({ path, aliases }: CompletedCommand): string[] {
  if (path === '') return [];
  const words = path.split(' ').map(quoteForFish).join(' ');
  return [
    `                case ${[path, ...aliases].map(quoteForFish).join(' ')}`,
    `                    set at ${words}`,
  ];
}

function flagsWithValue(commands: readonly CompletedCommand[]): string[] {
  const flags = commands.flatMap((command) => command.flags).filter(({ value }) => value !== undefined);
  return [...new Set(flags.map(({ long }) => long))];
}

function completions({ path, subcommands, flags, argument }: CompletedCommand): string[] {
  const first = `complete -c muster -n ${quoteForFish(`__muster_at ${quoteForFish(path)} 0`)}`;
  const anywhere = `complete -c muster -n ${quoteForFish(`__muster_at ${quoteForFish(path)}`)}`;
  return [
    ...subcommands.map(
      ({ name, summary }) => `${first} -a ${quoteForFish(name)} -d ${quoteForFish(summary)}`,
    ),
    ...completeArgument(argument, { first, anywhere }),
    ...flags.map((flag) => `${anywhere} ${describeFlag(flag)}`),
  ];
}

function completeArgument(
  argument: CompletedArgument | undefined,
  { first, anywhere }: { readonly first: string; readonly anywhere: string },
): string[] {
  if (argument === undefined || argument.values.kind === 'text') return [];
  return [`${argument.isVariadic ? anywhere : first} ${takes(argument.values)}`];
}

function describeFlag({ long, short, value, summary }: CompletedFlag): string {
  const parts = [`-l ${long.replace(/^--/, '')}`];
  if (short !== undefined) parts.push(`-s ${short.replace(/^-/, '')}`);
  if (value !== undefined) parts.push(takes(value.values));
  return [...parts, `-d ${quoteForFish(summary)}`].join(' ');
}

/** `-x`: a value is needed, and is none of the files. */
function takes(values: Values): string {
  switch (values.kind) {
    case 'text':
      return '-x';
    case 'words':
      return `-x -a ${quoteForFish(values.words.map(quoteForFish).join(' '))}`;
    case 'list':
      return `-x -a ${quoteForFish(`(__muster_list ${values.words.map(quoteForFish).join(' ')})`)}`;
    case 'file':
      return '-r -F';
    case 'directory':
      return `-x -a ${quoteForFish(`(__muster_directory ${quoteForFish(values.prefix)})`)}`;
    case 'profile':
      return "-x -a '(__muster_profile)'";
    case 'command':
      return "-x -a '(__muster_command)'";
  }
}

/** Within single quotes fish knows two escapes. */
function quoteForFish(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
