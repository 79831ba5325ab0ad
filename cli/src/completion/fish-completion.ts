/** A script for fish 3 and newer, which asks `muster __complete` for the words that fit at the cursor. */
export const fishCompletion = `# fish completion for muster. Made by: muster completion fish
# What was typed from muster on: variables and command may stand before it.
function __muster_words
    set -l words (commandline -opc)
    while set -q words[1]; and string match -qr -- '^(\\w+=.*|command|exec)$' $words[1]
        set -e words[1]
    end
    string join \\n -- $words
end
function __muster_complete
    set -l words (__muster_words)
    set -l current (commandline -ct)
    set -l found (command muster __complete -- $words[2..-1] "$current" 2>/dev/null)
    switch "$found[1]"
        case words
            set -q found[3]; and printf '%s\\n' $found[3..-1]
        case files directories
            set -l before "$found[2]"
            set -l rest (string replace -- "$before" '' "$current")
            set -l names (complete -C "'' $rest" | string replace -r '\\t.*' '')
            test "$found[1]" = directories; and set names (string match -r '.*/$' -- $names)
            set -q names[1]; and printf '%s\\n' $before$names
        case command
            set -l start (math $found[2] + 2)
            set -l line (string escape -- $words[$start..-1] | string join ' ')
            complete -C "$line $current"
    end
end
complete -c muster -f -a '(__muster_complete)'
`;
