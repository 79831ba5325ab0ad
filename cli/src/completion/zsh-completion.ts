import type { CompletedCommand, CompletedFlag } from './command-tree.ts';
import { quoteWord } from './quote-word.ts';

/** A script for zsh, to be found as `_muster` in a folder of `fpath`. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const known = commands.filter(({ path }) => path !== '').map(({ path }) => quoteWord(path));
  return `#compdef muster
# zsh completion for muster. Made by: muster completion zsh
_muster() {
  local at='' candidate word prev=\${words[CURRENT-1]}
  local -a known found flags
  known=(${known.join(' ')})
  for word in \${words[2,CURRENT-1]}; do
    candidate="\${at:+$at }$word"
    (( \${known[(Ie)$candidate]} )) && at=$candidate
  done
  case "$at $prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case $at in
${commands.map(wordCase).join('\n')}
  esac
  (( \${#found} )) && _describe command found
  _describe -o flag flags
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _muster "$@"; else compdef _muster muster; fi
`;
}

function valueCases({ path, flags }: CompletedCommand): string[] {
  return flags
    .filter(({ takes }) => takes !== 'nothing')
    .map((flag) => `    ${quoteWord(`${path} ${flag.long}`)}) ${complete(flag)}; return ;;`);
}

function complete({ takes, words, summary }: CompletedFlag): string {
  if (words.length > 0) return `compadd -- ${words.map(quoteWord).join(' ')}`;
  if (takes === 'text') return `_message ${quoteWord(summary)}`;
  return takes === 'file' ? '_files' : '_files -/';
}

function wordCase({ path, subcommands, flags, words }: CompletedCommand): string {
  const found = [
    ...subcommands.map(({ name, summary }) => described(name, summary)),
    ...words.map(quoteWord),
  ];
  const all = flags.map(({ long, summary }) => described(long, summary));
  return `    ${quoteWord(path)}) found=(${found.join(' ')}) flags=(${all.join(' ')}) ;;`;
}

function described(name: string, summary: string): string {
  return quoteWord(`${name.replaceAll(':', '\\:')}:${summary}`);
}
