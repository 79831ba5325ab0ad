import { structuredPatch } from 'diff';

/** The difference of two texts in the unified format, without the two lines that name them. */
export interface ConfigDifference {
  /** Empty if the texts are equal. */
  readonly hunks: string;
  readonly addedLines: number;
  readonly removedLines: number;
  /** True if the texts differ too much to be compared line by line. Everything between the first and the last difference is then shown as replaced. */
  readonly isCoarse: boolean;
}

interface Part {
  readonly text: string;
  /** The number of lines before the part. */
  readonly linesBefore: number;
}

const contextLines = 3;
/**
 * The time and memory of a comparison grow with the number of lines between the first and the last difference, and with the square
 * of the number of different lines. With both limits, it takes less than 0.1 s.
 */
const maxComparedLines = 20_000;
const maxDifferentLines = 1_000;

/**
 * Compares two texts line by line. The time is bounded, also for texts of a megabyte that were crafted to be slow.
 *
 * The format: https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html
 */
export function diffConfigs(from: string, to: string): ConfigDifference {
  if (from === to) return { hunks: '', addedLines: 0, removedLines: 0, isCoarse: false };
  const compared = cutEqualEnds(from, to, contextLines);
  const lines = countLines(compared.from.text) + countLines(compared.to.text);
  const fine = lines > maxComparedLines ? undefined : compareLines(compared);
  return fine ?? replaceAll(cutEqualEnds(from, to, 0));
}

/** Returns undefined if too many lines differ. */
function compareLines({ from, to }: Readonly<Record<'from' | 'to', Part>>): ConfigDifference | undefined {
  const patch = structuredPatch('from', 'to', from.text, to.text, undefined, undefined, {
    context: contextLines,
    maxEditLength: maxDifferentLines,
  });
  if (patch === undefined) return undefined;
  let addedLines = 0;
  let removedLines = 0;
  let hunks = '';
  for (const { oldStart, oldLines, newStart, newLines, lines } of patch.hunks) {
    const removedRange = formatRange(from.linesBefore + oldStart, oldLines);
    const addedRange = formatRange(to.linesBefore + newStart, newLines);
    hunks += `@@ -${removedRange} +${addedRange} @@\n${lines.join('\n')}\n`;
    for (const line of lines) {
      if (line.startsWith('+')) addedLines += 1;
      else if (line.startsWith('-')) removedLines += 1;
    }
  }
  return { hunks, addedLines, removedLines, isCoarse: false };
}

function replaceAll({ from, to }: Readonly<Record<'from' | 'to', Part>>): ConfigDifference {
  const removedLines = countLines(from.text);
  const addedLines = countLines(to.text);
  const head = `@@ -${formatRange(from.linesBefore + 1, removedLines)} +${formatRange(to.linesBefore + 1, addedLines)} @@\n`;
  const hunks = head + prefixLines(from.text, '-') + prefixLines(to.text, '+');
  return { hunks, addedLines, removedLines, isCoarse: true };
}

/** Removes the lines that are equal at the beginnings and at the ends of two texts, but keeps `keptLines` of them on each side. */
function cutEqualEnds(from: string, to: string, keptLines: number): Readonly<Record<'from' | 'to', Part>> {
  const shortest = Math.min(from.length, to.length);
  let equal = 0;
  while (equal < shortest && from.charCodeAt(equal) === to.charCodeAt(equal)) equal += 1;
  const start = startOfLine(from, equal, keptLines);

  let tail = 0;
  const maxTail = shortest - equal;
  while (tail < maxTail && from.charCodeAt(from.length - 1 - tail) === to.charCodeAt(to.length - 1 - tail)) {
    tail += 1;
  }
  const tailStart = from.length - tail;
  const isWholeLine = isStartOfLine(from, tailStart) && isStartOfLine(to, to.length - tail);
  const end = from.length - skipLines(from, tailStart, isWholeLine ? keptLines : keptLines + 1);

  const linesBefore = countLines(from.slice(0, start));
  return {
    from: { text: from.slice(start, from.length - end), linesBefore },
    to: { text: to.slice(start, to.length - end), linesBefore },
  };
}

/** The position where the line at `position` begins, or the line that is `linesBefore` lines above it. */
function startOfLine(text: string, position: number, linesBefore: number): number {
  let start = position === 0 ? 0 : text.lastIndexOf('\n', position - 1) + 1;
  for (let line = 0; line < linesBefore && start > 0; line += 1) {
    start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  }
  return start;
}

function isStartOfLine(text: string, position: number): boolean {
  return position === 0 || text[position - 1] === '\n';
}

/** The position after this many line breaks. */
function skipLines(text: string, position: number, lines: number): number {
  let end = position;
  for (let line = 0; line < lines && end < text.length; line += 1) {
    const lineBreak = text.indexOf('\n', end);
    end = lineBreak === -1 ? text.length : lineBreak + 1;
  }
  return end;
}

function countLines(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function prefixLines(text: string, sign: '-' | '+'): string {
  if (text === '') return '';
  if (text.endsWith('\n')) return `${sign}${text.slice(0, -1).replaceAll('\n', `\n${sign}`)}\n`;
  return `${sign}${text.replaceAll('\n', `\n${sign}`)}\n\\ No newline at end of file\n`;
}

/** The format names the line before an empty range. */
function formatRange(start: number, lines: number): string {
  if (lines === 1) return `${start}`;
  return `${lines === 0 ? start - 1 : start},${lines}`;
}
