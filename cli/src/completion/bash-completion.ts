/** A script for bash 4 and newer, which asks `muster __complete` for the words that fit at the cursor. */
export const bashCompletion = `# bash completion for muster. Made by: muster completion bash
_muster() {
  local kind= detail= word= rest= value= i=0 n=-1 is_target=
  local line=\${COMP_LINE:0:COMP_POINT}
  local -a words=() starts=() found=()
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
  # A redirection is the shell's own.
  value=\${words[n]}
  [[ \${words[n - 1]} == *[\\<\\>] || $value == [\\<\\>]* ]] && is_target=1
  value=\${value#[\\"\\']}
  if [[ -n $is_target ]]; then
    kind=files
  else
    while IFS= read -r word; do
      found+=("$word")
    done <<<"$("\${words[0]/#\\~/$HOME}" __complete -- "\${words[@]:1:n-1}" "$value" 2>/dev/null)"
    kind=\${found[0]-} detail=\${found[1]-}
    found=("\${found[@]:2}")
  fi
  case $kind in
    words)
      [[ $detail != nospace ]] || compopt -o nospace 2>/dev/null
      for word in "\${found[@]}"; do
        word=\${word%%$'\\t'*}
        [[ -n $word ]] || continue
        # Less what stands before the word that readline replaces.
        if ((\${#2} <= \${#value})); then
          COMPREPLY+=("\${word:\${#value}-\${#2}}")
        else
          COMPREPLY+=("\${2:0:\${#2}-\${#value}}$word")
        fi
      done
      ;;
    files | directories)
      value=\${value#"$detail"}
      value=\${value#[\\"\\']}
      if ((\${#2} <= \${#value})); then
        [[ $kind == files ]] && rest=default || rest=dirnames
        compopt -o "$rest" 2>/dev/null
      else
        # More than the name of the file is one word for readline.
        [[ $kind == files ]] && rest=-f || rest=-d
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do
          [[ -z $word ]] || COMPREPLY+=("\${2:0:\${#2}-\${#value}}$word")
        done <<<"$(compgen "$rest" -- "$value" 2>/dev/null)"
      fi
      ;;
    command)
      i=$((detail + 1))
      if ((i == n)); then
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do
          [[ -z $word ]] || COMPREPLY+=("$word")
        done <<<"$(compgen -c -- "$2" 2>/dev/null)"
      elif declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "\${starts[i]}"
      elif declare -F _command_offset >/dev/null; then
        _command_offset "\${starts[i]}"
      else
        compopt -o default 2>/dev/null
      fi
      ;;
  esac
  return 0
}
complete -F _muster muster
`;
