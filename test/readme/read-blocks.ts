/** One fenced block of commands in a document. */
export interface CommandBlock {
  /** Where it begins, for the name of its test. */
  readonly line: number;
  readonly commands: string;
  /** What the text block right after it says that the commands print; undefined where there is none. */
  readonly output: string | undefined;
  /** Why it is not run by the test, from the comment right before it. */
  readonly notRunBecause: string | undefined;
}

const fence =
  /^(<!-- not run here: (?<reason>.+) -->\n)?```sh\n(?<commands>[\s\S]*?)^```$(\n+```text\n(?<output>[\s\S]*?)^```$)?/gm;

/**
 * Finds the blocks of commands of a document:
 *
 * - A block of commands is fenced as `sh`. All of a document run in one bash, so that variables live on.
 * - A block fenced as `text` right after it is what it prints: each of its lines is found in the output, in this
 *   order; `…` stands for anything within a line.
 * - What cannot be run by a machine has `<!-- not run here: REASON -->` on the line before.
 */
export function readBlocks(markdown: string): CommandBlock[] {
  return [...markdown.matchAll(fence)].map(({ index, groups = {} }) => ({
    line: markdown.slice(0, index).split('\n').length,
    commands: groups.commands ?? '',
    output: groups.output,
    notRunBecause: groups.reason,
  }));
}

/** Every line of what is expected that is not found, in its order, in what was printed. */
export function findMissingLines(expected: string, printed: string): string[] {
  const lines = printed.split('\n');
  let next = 0;
  return linesOf(expected).filter((line) => {
    const pattern = toPattern(line);
    const found = lines.findIndex((candidate, index) => index >= next && pattern.test(candidate.trim()));
    if (found >= 0) next = found + 1;
    return found < 0;
  });
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Names of headers match in any case, as HTTP has it. */
function toPattern(line: string): RegExp {
  const isHeader = /^[\w-]+: /.test(line);
  const parts = line.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, isHeader ? 'i' : '');
}
