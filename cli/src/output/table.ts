import type CliTable from 'cli-table3';

export interface Column {
  readonly title: string;
  /** May be cut to fit the terminal, with `…` at its end. Others are written whole or left out. */
  readonly isFlexible?: boolean;
  /** Left out first where the terminal is narrow: the highest goes first. Absent: never left out. */
  readonly leaveOut?: number;
}

export interface TableOptions {
  readonly columns: readonly Column[];
  /** Safe to print: what others have written went through `printable`. */
  readonly rows: readonly (readonly string[])[];
  /** Characters on a line; undefined for lines of any length. */
  readonly width: number | undefined;
  readonly hasHead: boolean;
  /** How the head is shown, such as dim; applied after the layout. */
  readonly decorateHead?: ((line: string) => string) | undefined;
}

const gap = 2;
const leastFlexibleWidth = 8;

/** Lines of a table without borders, as wide as its content or as the terminal, whichever is less. */
export async function formatTable(options: TableOptions): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const natural = measure(Table, options);
  const shown = chooseColumns(options.columns, natural, options.width);
  const widths = shrink(options.columns, natural, shown, options.width);
  const head = options.hasHead ? [options.columns.map(({ title }) => title)] : [];
  // The gap after the last column is only blanks, which are cut off below.
  const colWidths = shown.map((index) => (widths.get(index) ?? 0) + gap);
  const lines = inPortions([...head, ...options.rows]).flatMap((rows) => {
    const table = new Table({ ...plainStyle, colWidths: [...colWidths] });
    table.push(...rows.map((row) => shown.map((index) => row[index] ?? '')));
    return table
      .toString()
      .split('\n')
      .map((line) => line.trimEnd());
  });
  if (lines.length === 0) return '';
  const [first = '', ...rest] = lines;
  const decorated =
    options.hasHead && options.decorateHead !== undefined ? options.decorateHead(first) : first;
  return `${[decorated, ...rest].join('\n')}\n`;
}

const rowsPerPortion = 50;

/** Laying out a table takes the square of its rows. */
function inPortions<Row>(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / rowsPerPortion);
  return Array.from({ length: count }, (_, index) =>
    rows.slice(index * rowsPerPortion, (index + 1) * rowsPerPortion),
  );
}

const noBorders = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((name) => [name, '']),
);

/** Empty lists, since the table would colour by itself otherwise. */
const plainStyle = {
  chars: noBorders,
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
} satisfies CliTable.TableConstructorOptions;

/** Width of each column's widest cell, as a terminal shows it: some characters are two wide, some none. */
function measure(Table: typeof CliTable, { columns, rows, hasHead }: TableOptions): number[] {
  const head = hasHead ? [columns.map(({ title }) => title)] : [];
  const widths = columns.map(() => 0);
  for (const portion of inPortions([...head, ...rows])) {
    const table = new Table(plainStyle);
    table.push(...portion.map((row) => [...row]));
    // Laying it out is what fills in the widths.
    table.toString();
    for (const index of columns.keys()) {
      widths[index] = Math.max(widths[index] ?? 0, (table.options.colWidths[index] ?? 0) - gap);
    }
  }
  return widths;
}

/** The columns that fit, by their index: those that may be left out go, one after the other. */
function chooseColumns(
  columns: readonly Column[],
  natural: readonly number[],
  width: number | undefined,
): readonly number[] {
  const shown = columns.map((_, index) => index);
  if (width === undefined) return shown;
  const least = (index: number): number =>
    columns[index]?.isFlexible ? Math.min(natural[index] ?? 0, leastFlexibleWidth) : (natural[index] ?? 0);
  const byPriority = shown
    .filter((index) => columns[index]?.leaveOut !== undefined)
    .sort((one, other) => (columns[other]?.leaveOut ?? 0) - (columns[one]?.leaveOut ?? 0));
  let left = shown;
  for (const index of byPriority) {
    if (sum(left.map(least)) + gap * (left.length - 1) <= width) break;
    left = left.filter((one) => one !== index);
  }
  return left;
}

/** Takes from the widest flexible column first, until all fit. */
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
  while (surplus > 0) {
    const widest = flexible.reduce<number | undefined>(
      (found, index) => ((widths.get(index) ?? 0) > (widths.get(found ?? -1) ?? 0) ? index : found),
      undefined,
    );
    const current = widths.get(widest ?? -1) ?? 0;
    if (widest === undefined || current <= leastFlexibleWidth) break;
    widths.set(widest, current - 1);
    surplus -= 1;
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
