/**
 * A script for zsh 5 and newer, which asks `muster __complete` for the words that fit at the cursor. Install it as `_muster` in a folder of
 * `fpath`, or source it after `compinit`.
 */
export const zshCompletion = `#compdef muster
# zsh completion for muster. Made by: muster completion zsh
_muster() {
  local -a found texts summaries space
  local kind detail line
  found=("\${(@f)$("\${(Q)words[1]/#\\~/$HOME}" __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  kind=$found[1] detail=$found[2]
  # What is empty at the end of an answer is not among its lines.
  shift $(( $#found > 1 ? 2 : $#found )) found
  case $kind in
    words)
      [[ $detail == nospace ]] && space=(-S '')
      for line in "\${(@)found}"; do
        [[ -n $line ]] || continue
        texts+=("\${line%%$'\\t'*}")
        summaries+=("\${line/$'\\t'/  -- }")
      done
      (( $#texts )) || return 1
      if [[ -n \${(M)found:#*$'\\t'?*} ]]; then
        compadd -l -d summaries "\${space[@]}" -a -- texts
      else
        compadd "\${space[@]}" -a -- texts
      fi
      ;;
    files | directories)
      [[ -z $detail ]] || compset -P "\${(b)detail}" || return 1
      if [[ $kind == files ]]; then _files; else _files -/; fi
      ;;
    command)
      shift $(( detail + 1 )) words
      (( CURRENT -= detail + 1 ))
      _normal
      ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _muster "$@"
elif (( $+functions[compdef] )); then
  compdef _muster muster
else
  print -u2 'The completion of muster is not set up: run "autoload -Uz compinit; compinit" before this script.'
fi
`;
