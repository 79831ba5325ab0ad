export interface Column {
  readonly title: string;
  /** May be cut to fit the terminal, ending with `…`. Other columns are shown whole or left out. */
  readonly isFlexible?: boolean;
  /** A flexible column is not cut below this width. Default: 8. */
  readonly minWidth?: number;
  /** How many lines a cell may take before it is cut. Only for the last column. Default: 1. */
  readonly maxLines?: number;
  /** Numbers: the digits of equal value stand below each other. */
  readonly isRightAligned?: boolean;
  /** On a narrow terminal, the column with the highest number is left out first. Absent: never left out. */
  readonly leaveOut?: number;
}

export interface TableOptions {
  readonly columns: readonly Column[];
  /** Safe to print: texts of other people went through `printable`. */
  readonly rows: readonly (readonly string[])[];
  /** Maximum width of a line; undefined for no limit. */
  readonly width: number | undefined;
  readonly hasHead: boolean;
  /** Decorates the head after the layout, for example dims it. */
  readonly decorateHead?: ((line: string) => string) | undefined;
  /** Decorates a cell after the layout, for example colours it. */
  readonly decorateCell?: (text: string, row: number, column: number) => string;
}

const gap = 2;
const minFlexibleWidth = 8;

/** Formats a table without borders, as wide as its content but at most as wide as the terminal. */
export async function formatTable(options: TableOptions): Promise<string> {
  // Only commands that print a table load this.
  const { default: widthOf } = await import('string-width');
  const head = options.hasHead ? [options.columns.map(({ title }) => title)] : [];
  const rows = [...head, ...options.rows];
  if (rows.length === 0) return '';
  const natural = options.columns.map((_, index) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? '')), 0),
  );
  const shown = chooseColumns(options.columns, natural, options.width);
  const widths = shrink(options.columns, natural, shown, options.width);
  const lines = rows.flatMap((row, rowIndex) => {
    const last = shown.at(-1) ?? 0;
    const { maxLines = 1 } = options.columns[last] ?? {};
    const [first = '', ...rest] = breakText(row[last] ?? '', widths.get(last) ?? 0, maxLines, widthOf);
    const cells = shown.map((index) =>
      fit(
        index === last ? first : (row[index] ?? ''),
        widths.get(index) ?? 0,
        options.columns[index]?.isRightAligned === true,
        widthOf,
      ),
    );
    const before = sum(shown.map((index) => (index === last ? 0 : (widths.get(index) ?? 0) + gap)));
    const further = rest.map(
      (text) => ' '.repeat(before) + fit(text, widths.get(last) ?? 0, false, widthOf).trimEnd(),
    );
    const line = cells
      .map((cell, position) => {
        const text = cell.trim();
        const [before = '', after = ''] = text === '' ? [cell] : cell.split(text);
        const item = rowIndex - head.length;
        const isCell = item >= 0 && text !== '' && options.decorateCell !== undefined;
        return before + (isCell ? options.decorateCell(text, item, shown[position] ?? 0) : text) + after;
      })
      .join(' '.repeat(gap))
      .trimEnd();
    return [line, ...further];
  });
  const [first = '', ...rest] = lines;
  const decorated =
    options.hasHead && options.decorateHead !== undefined ? options.decorateHead(first) : first;
  return `${[decorated, ...rest].join('\n')}\n`;
}

/** Breaks a text between words into at most that many lines; the last one may still be too wide. */
function breakText(text: string, width: number, maxLines: number, widthOf: WidthOf): string[] {
  const lines: string[] = [];
  let rest = text;
  while (lines.length < maxLines - 1 && widthOf(rest) > width) {
    const words = rest.split(' ');
    let count = words.length - 1;
    while (count > 1 && widthOf(words.slice(0, count).join(' ')) > width) count -= 1;
    const line = words.slice(0, count).join(' ');
    // A word that fills a line alone is cut like the last line.
    if (count === 0 || widthOf(line) > width) break;
    lines.push(line);
    rest = words.slice(count).join(' ');
  }
  return [...lines, rest];
}

type WidthOf = (text: string) => number;

/** Pads the text with blanks to the column's width, or cuts it after a whole character and adds `…`. */
function fit(text: string, width: number, isRightAligned: boolean, widthOf: WidthOf): string {
  const natural = widthOf(text);
  if (natural <= width) {
    const blanks = ' '.repeat(width - natural);
    return isRightAligned ? blanks + text : text + blanks;
  }
  let cut = '';
  let used = 0;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) {
    const next = used + widthOf(segment);
    if (next > width - 1) break;
    cut += segment;
    used = next;
  }
  return `${cut}…${' '.repeat(width - used - 1)}`;
}

/** Made when the first text is cut: it takes milliseconds, which most commands never need. */
let graphemes: Intl.Segmenter | undefined;

/** The indices of the columns that fit: optional columns are removed one after the other. */
function chooseColumns(
  columns: readonly Column[],
  natural: readonly number[],
  width: number | undefined,
): readonly number[] {
  const shown = columns.map((_, index) => index);
  if (width === undefined) return shown;
  const minimum = (index: number): number =>
    columns[index]?.isFlexible
      ? Math.min(natural[index] ?? 0, columns[index]?.minWidth ?? minFlexibleWidth)
      : (natural[index] ?? 0);
  const byPriority = shown
    .filter((index) => columns[index]?.leaveOut !== undefined)
    .sort((one, other) => (columns[other]?.leaveOut ?? 0) - (columns[one]?.leaveOut ?? 0));
  let left = shown;
  for (const index of byPriority) {
    if (sum(left.map(minimum)) + gap * (left.length - 1) <= width) break;
    left = left.filter((one) => one !== index);
  }
  return left;
}

/** Narrows the widest flexible column first, until all fit. */
function shrink(
  columns: readonly Column[],
  natural: readonly number[],
  shown: readonly number[],
  width: number | undefined,
): ReadonlyMap<number, number> {
  const widths = new Map(shown.map((index) => [index, natural[index] ?? 0]));
  if (width === undefined) return widths;
  const flexible = shown.filter((index) => columns[index]?.isFlexible);
  let surplus = sum([...widths.values()]) + gap * (shown.length - 1) - width;
  const spareOf = (index: number): number =>
    (widths.get(index) ?? 0) - (columns[index]?.minWidth ?? minFlexibleWidth);
  while (surplus > 0) {
    const widest = flexible
      .filter((index) => spareOf(index) > 0)
      .reduce<number | undefined>(
        (found, index) => ((widths.get(index) ?? 0) > (widths.get(found ?? -1) ?? 0) ? index : found),
        undefined,
      );
    if (widest === undefined) break;
    widths.set(widest, (widths.get(widest) ?? 0) - 1);
    surplus -= 1;
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
