/** `hunk`: the place of the lines below it, such as `@@ -1,2 +1,2 @@`. */
export type DiffLineKind = 'added' | 'removed' | 'same' | 'hunk' | 'note';

export interface DiffLine {
  readonly kind: DiffLineKind;
  /** Without the sign. */
  readonly text: string;
  /** In the older configuration. */
  readonly oldNumber: number | undefined;
  /** In the newer configuration. */
  readonly newNumber: number | undefined;
}

const hunkHeader = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Reads a difference in the unified format. The lines that name the two configurations are left out. */
export function parseDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let oldNumber = 0;
  let newNumber = 0;
  const rest = diff.endsWith('\n') ? diff.slice(0, -1) : diff;
  for (const line of rest === '' ? [] : rest.split('\n')) {
    const header = hunkHeader.exec(line);
    if (header !== null) {
      oldNumber = Number(header[1]);
      newNumber = Number(header[2]);
      lines.push({ kind: 'hunk', text: line, oldNumber: undefined, newNumber: undefined });
      continue;
    }
    // The names of the configurations stand above the first hunk.
    if (lines.length === 0) continue;
    const text = line.slice(1);
    switch (line[0]) {
      case '+':
        lines.push({ kind: 'added', text, oldNumber: undefined, newNumber });
        newNumber += 1;
        break;
      case '-':
        lines.push({ kind: 'removed', text, oldNumber, newNumber: undefined });
        oldNumber += 1;
        break;
      case '\\':
        lines.push({ kind: 'note', text: text.trim(), oldNumber: undefined, newNumber: undefined });
        break;
      default:
        lines.push({ kind: 'same', text, oldNumber, newNumber });
        oldNumber += 1;
        newNumber += 1;
    }
  }
  return lines;
}
