import type { CompletedCommand, CompletedFlag } from './command-tree.ts';

/** A script for fish 3 and newer. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const known = commands.filter(({ path }) => path !== '').map(({ path }) => quoteForFish(path));
  return `# fish completion for muster. Made by: muster completion fish
function __muster_at
    set -l known ${known.join(' ')}
    set -l at
    for word in (commandline -opc)[2..-1]
        if contains -- (string join ' ' -- $at $word) $known
            set -a at $word
        end
    end
    test (string join ' ' -- $at) = "$argv[1]"
end
complete -c muster -f
${commands.flatMap(completions).join('\n')}
`;
}

function completions({ path, subcommands, flags, words }: CompletedCommand): string[] {
  const start = `complete -c muster -n ${quoteForFish(`__muster_at ${quoteForFish(path)}`)}`;
  return [
    ...subcommands.map(
      ({ name, summary }) => `${start} -a ${quoteForFish(name)} -d ${quoteForFish(summary)}`,
    ),
    ...(words.length === 0 ? [] : [`${start} -a ${quoteForFish(words.join(' '))}`]),
    ...flags.map((flag) => `${start} ${describeFlag(flag)}`),
  ];
}

function describeFlag({ long, short, takes, words, summary }: CompletedFlag): string {
  const parts = [`-l ${long.replace(/^--/, '')}`];
  if (short !== undefined) parts.push(`-s ${short.replace(/^-/, '')}`);
  if (words.length > 0) parts.push(`-x -a ${quoteForFish(words.join(' '))}`);
  else if (takes === 'text') parts.push('-x');
  else if (takes === 'file') parts.push('-r -F');
  else if (takes === 'directory') parts.push("-x -a '(__fish_complete_directories)'");
  return [...parts, `-d ${quoteForFish(summary)}`].join(' ');
}

/** Within single quotes fish knows two escapes. */
function quoteForFish(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
