import type { CompletedCommand } from './command-tree.ts';
import { quoteWord } from './quote-word.ts';

/** A script for bash 4 and newer. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const known = commands.filter(({ path }) => path !== '').map(({ path }) => `      ${quoteWord(path)}`);
  return `# bash completion for muster. Made by: muster completion bash
_muster() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at= candidate words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    candidate="\${at:+$at }\${COMP_WORDS[i]}"
    case $candidate in
${known.join(' | \\\n')}) at=$candidate ;;
    esac
  done
  case "$at $prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case $at in
${commands.map(wordCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _muster muster
`;
}

function valueCases({ path, flags }: CompletedCommand): string[] {
  return flags
    .filter(({ takes }) => takes !== 'nothing')
    .map(({ long, takes, words }) => {
      const kind = {
        nothing: '-W ""',
        text: `-W ${quoteWord(words.join(' '))}`,
        file: '-f',
        directory: '-d',
      }[takes];
      return `    ${quoteWord(`${path} ${long}`)}) COMPREPLY=($(compgen ${kind} -- "$cur")); return ;;`;
    });
}

function wordCase({ path, subcommands, flags, words }: CompletedCommand): string {
  const all = [...subcommands.map(({ name }) => name), ...words, ...flags.map(({ long }) => long)];
  return `    ${quoteWord(path)}) words=${quoteWord(all.join(' '))} ;;`;
}
