import type { TableShape } from './table-shape.ts';

type CopiedValue = null | number | bigint | string | Uint8Array;

/** Values in the order of the columns of the table shape. */
export type CopiedRow = readonly CopiedValue[];

/** Values of the primary key, in the order of its columns. */
export type RowKey = readonly CopiedValue[];

export interface RowPage {
  readonly rows: readonly CopiedRow[];
  readonly lastKey: RowKey;
}

/** The limits of one page. It ends at the first limit that it reaches, and has at least one row. */
export interface PageLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** The first rows after a key, in the order of the key. */
export type ReadRows = (after: RowKey | undefined) => Promise<readonly CopiedRow[]>;

/** A limit on rows is not enough: some configurations have 1 MiB, older ones 4 MiB. */
export const usualPageLimits: PageLimits = { rows: 2_000, bytes: 1024 * 1024 };

/** All rows after a key, page by page. The next page is read while the caller uses the current one. */
export async function* pagesOf(
  shape: TableShape,
  read: ReadRows,
  after?: RowKey,
): AsyncGenerator<RowPage, void, undefined> {
  let coming = read(after);
  for (;;) {
    const rows = await coming;
    const last = rows.at(-1);
    if (last === undefined) return;
    const lastKey = keyOf(shape, last);
    coming = read(lastKey);
    // A failure is thrown when the page is awaited. It is ignored if the caller no longer awaits it.
    coming.catch(() => undefined);
    yield { rows, lastKey };
  }
}

export function keyOf({ columns, key }: TableShape, row: CopiedRow): RowKey {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] ?? null);
}

/** The SQL that differs between the engines. */
export interface PageWords {
  /** The table or view that rows are read from. */
  readonly from: (table: string) => string;
  /** A column of the primary key, as an expression that compares and sorts by bytes. */
  readonly keyPart: (column: string) => string;
  /** A condition: the row comes after the key in the parameters. */
  readonly isAfterKey: string;
}

/** The statement of one page. Its parameters are the key values after which the page begins, if any. */
export function pageStatement(
  shape: TableShape,
  words: PageWords,
  limits: PageLimits,
  hasAfter: boolean,
): string {
  const key = shape.key.map(words.keyPart).join(', ');
  const from = `from ${words.from(shape.table)} ${hasAfter ? `where ${words.isAfterKey}` : ''}`;
  const sizes = shape.columns
    .filter(({ type }) => type === 'text' || type === 'bytea')
    .map(({ name }) => `coalesce(octet_length(${quoteName(name)}), 0)`);
  // The sizes are read first, without the values, so that a page never loads too many bytes.
  return `
    select ${columnList(shape)} ${from} order by ${key} limit (
      select count(*) from (
        select sum(size) over (order by ${key}) - size as size_before from (
          select ${key}, ${['0', ...sizes].join(' + ')} as size
          ${from} order by ${key} limit ${limits.rows}
        ) as candidates
      ) as sized where size_before < ${limits.bytes}
    )`;
}

export function columnList({ columns }: TableShape): string {
  return columns.map(({ name }) => quoteName(name)).join(', ');
}

/** Quotes a name from the catalog. Both engines quote in the same way. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
