import type { CompletedCommand } from './command-tree.ts';
import { quoteWord } from './quote-word.ts';
import type { Values } from './values.ts';

/** A script for bash 4 and newer. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `# bash completion for muster. Made by: muster completion bash
_muster() {
  local at= flag= value= kind= word rest i n=-1 count=0 wrapped=0 is_ended= is_target=
  local line=\${COMP_LINE:0:COMP_POINT}
  local -a words=() starts=() list=()
  COMPREPLY=()
  # Readline takes words apart at = and :, which belong together here.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    rest=\${line#"\${line%%[![:space:]]*}"}
    ((i < COMP_CWORD)) || word=$rest
    if ((n >= 0)) && [[ $rest == "$line" && $word != [\\<\\>\\&]* && \${words[n]} != *[\\<\\>\\&] ]]; then
      words[n]+=$word
    else
      n=$((n + 1)) words[n]=$word starts[n]=$i
    fi
    line=\${rest#"$word"}
  done
  # Where the cursor stands: in which command, after how many arguments, at the value of which flag.
  for ((i = 1; i < n; i++)); do
    word=\${words[i]}
    if [[ $word == *[\\<\\>] || $word == [\\<\\>]* ]]; then
      is_target=1
    elif [[ -n $is_target ]]; then
      is_target=
    elif [[ -n $flag ]]; then
      flag=
    elif [[ -z $is_ended && $word == -- ]]; then
      is_ended=1
    elif [[ -z $is_ended && $word == -?* ]]; then
      _muster_flag "$at" "$word" && flag=$word
    elif ((count > 0)) || ! _muster_command "\${at:+$at }$word"; then
      count=$((count + 1))
      ((count > 1)) || wrapped=$i
    fi
  done
  value=\${words[n]} kind= list=()
  if [[ -n $is_target || $value == [\\<\\>]* ]]; then
    kind=file
  elif [[ -n $flag ]]; then
    _muster_flag "$at" "$flag"
  elif [[ -z $is_ended && $value == --*=* ]]; then
    _muster_flag "$at" "\${value%%=*}" || return 0
    value=\${value#*=}
  elif [[ -z $is_ended && $value == -* ]]; then
    _muster_flags "$at"
  else
    _muster_argument "$at"
  fi
  value=\${value#[\\"\\']}
  case $kind in
    file | directory)
      if [[ $value != "\${list-}"* ]]; then
        compopt -o nospace 2>/dev/null
        _muster_offer "$2"
      elif value=\${value#"\${list-}"} && ((\${#2} <= \${#value})); then
        [[ $kind == file ]] && rest=default || rest=dirnames
        compopt -o "$rest" 2>/dev/null
      else
        # More than the name of the file is one word for readline.
        [[ $kind == file ]] && rest=-f || rest=-d
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do
          [[ -z $word ]] || COMPREPLY+=("\${2:0:\${#2}-\${#value}}$word")
        done <<<"$(compgen "$rest" -- "$value" 2>/dev/null)"
      fi
      ;;
    profile)
      rest=\${XDG_CONFIG_HOME-}
      [[ $rest == /* ]] || rest=\${HOME-}/.config
      while IFS= read -r word; do
        [[ $word == *.json ]] || continue
        word=\${word##*/}
        list+=("\${word%.json}")
      done <<<"$(compgen -f -- "$rest/muster/profiles/" 2>/dev/null)"
      _muster_offer "$2"
      ;;
    list)
      [[ $value == *,* ]] && list=("\${list[@]/#/\${value%,*},}")
      _muster_offer "$2"
      ;;
    words) _muster_offer "$2" ;;
    command)
      ((count > 0)) || wrapped=$n
      if [[ $wrapped == "$n" ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do
          [[ -z $word ]] || COMPREPLY+=("$word")
        done <<<"$(compgen -c -- "$2" 2>/dev/null)"
      elif declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "\${starts[wrapped]}"
      elif declare -F _command_offset >/dev/null; then
        _command_offset "\${starts[wrapped]}"
      else
        compopt -o default 2>/dev/null
      fi
      ;;
  esac
  return 0
}
# What of the list begins with $value, less what stands before the word that readline replaces.
_muster_offer() {
  local word
  for word in "\${list[@]}"; do
    [[ $word == "$value"* && (-n $value || $word != --help) ]] || continue
    if ((\${#1} <= \${#value})); then
      COMPREPLY+=("\${word:\${#value}-\${#1}}")
    else
      COMPREPLY+=("\${1:0:\${#1}-\${#value}}$word")
    fi
  done
}
_muster_command() {
  case $1 in
${[...commandCases(commands)].join('\n')}
    *) return 1 ;;
  esac
}
_muster_flag() {
  case "$1 $2" in
${flagCases(commands).join('\n')}
    *) return 1 ;;
  esac
}
_muster_flags() {
  kind=words
  case $1 in
${commands.map(flagsCase).join('\n')}
  esac
}
_muster_argument() {
  case "$1 $count" in
${commands.flatMap(argumentCases).join('\n')}
    *) _muster_flags "$1" ;;
  esac
}
complete -F _muster muster
`;
}

function commandCases(commands: readonly CompletedCommand[]): string[] {
  return commands
    .filter(({ path }) => path !== '')
    .map(
      ({ path, aliases }) => `    ${[path, ...aliases].map(quoteWord).join(' | ')}) at=${quoteWord(path)} ;;`,
    );
}

/** One case for all flags with the same values. */
function flagCases(commands: readonly CompletedCommand[]): string[] {
  const patterns = new Map<string, string[]>();
  for (const { path, flags } of commands) {
    for (const { long, value } of flags) {
      if (value === undefined) continue;
      const action = assign(value.values);
      patterns.set(action, [...(patterns.get(action) ?? []), quoteWord(`${path} ${long}`)]);
    }
  }
  return [...patterns].map(([action, of]) => `    ${of.join(' | \\\n      ')}) ${action} ;;`);
}

function flagsCase({ path, flags, argument }: CompletedCommand): string {
  const dashes = argument?.values.kind === 'command' ? ['--'] : [];
  return `    ${quoteWord(path)}) list=(${[...flags.map(({ long }) => long), ...dashes].map(quoteWord).join(' ')}) ;;`;
}

/** Where an argument is due; flags are offered in the other places. */
function argumentCases({ path, subcommands, argument }: CompletedCommand): string[] {
  if (subcommands.length > 0) {
    const words = subcommands.map(({ name }) => name);
    return [
      `    ${quoteWord(`${path} 0`)}) ${assign({ kind: 'words', words })} ;;`,
      `    ${quoteWord(`${path} `)}[1-9]*) ;;`,
    ];
  }
  if (argument === undefined) return [];
  const count = argument.isVariadic ? `${quoteWord(`${path} `)}*` : quoteWord(`${path} 0`);
  return [`    ${count}) ${assign(argument.values)} ;;`];
}

function assign(values: Values): string {
  switch (values.kind) {
    case 'words':
    case 'list':
      return `kind=${values.kind} list=(${values.words.map(quoteWord).join(' ')})`;
    case 'directory':
      return `kind=directory list=(${quoteWord(values.prefix)})`;
    default:
      return `kind=${values.kind}`;
  }
}
