/** One fenced block of commands in a document. */
export interface CommandBlock {
  /** Its position, for the name of its test. */
  readonly line: number;
  readonly commands: string;
  /** The expected output, from the text block right after it; undefined if there is none. */
  readonly output: string | undefined;
  /** Why the test does not run it, from the comment right before it. */
  readonly notRunBecause: string | undefined;
}

const fence =
  /^(<!-- not run here: (?<reason>.+) -->\n)?```sh\n(?<commands>[\s\S]*?)^```$(\n+```text\n(?<output>[\s\S]*?)^```$)?/gm;

/**
 * Finds the blocks of commands in a document:
 *
 * - A block of commands is fenced as `sh`. All blocks of a document run in one bash, so variables are kept.
 * - A block fenced as `text` right after it is its output: each line must occur in the output, in this order; `…` matches
 *   anything within a line.
 * - A block that a machine cannot run has `<!-- not run here: REASON -->` on the line before.
 */
export function readBlocks(markdown: string): CommandBlock[] {
  return [...markdown.matchAll(fence)].map(({ index, groups = {} }) => ({
    line: markdown.slice(0, index).split('\n').length,
    commands: groups.commands ?? '',
    output: groups.output,
    notRunBecause: groups.reason,
  }));
}

/** The expected lines that the output does not contain, or not in that order. */
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

/** Names of headers are case-insensitive in HTTP. */
function toPattern(line: string): RegExp {
  const isHeader = /^[\w-]+: /.test(line);
  const parts = line.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, isHeader ? 'i' : '');
}
