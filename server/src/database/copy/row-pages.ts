import type { TableShape } from './table-shape.ts';

type CopiedValue = null | number | bigint | string | Uint8Array;

/** Values in the order of the columns of the table's shape. */
export type CopiedRow = readonly CopiedValue[];

/** Values of the primary key, in its order. */
export type RowKey = readonly CopiedValue[];

export interface RowPage {
  readonly rows: readonly CopiedRow[];
  readonly lastKey: RowKey;
}

/** How much is read and written at once: whichever of the two is reached first, and one row at least. */
export interface PageLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** The first rows after a key, in the order of the key. */
export type ReadRows = (after: RowKey | undefined) => Promise<readonly CopiedRow[]>;

/** Some configurations have 1 MiB, older ones 4, so that a number of rows alone would bound nothing. */
export const usualPageLimits: PageLimits = { rows: 2_000, bytes: 1024 * 1024 };

/** All rows after a key, page by page; the next page is read while the one before is used. */
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
    // Told when it is awaited, and to nobody where that no longer happens.
    coming.catch(() => undefined);
    yield { rows, lastKey };
  }
}

export function keyOf({ columns, key }: TableShape, row: CopiedRow): RowKey {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] ?? null);
}

/** One engine's words for what the two write differently. */
export interface PageWords {
  /** What rows are read from. */
  readonly from: (table: string) => string;
  /** A part of the primary key, to be compared and sorted by its bytes. */
  readonly keyPart: (column: string) => string;
  /** True for rows after the key that the parameters hold. */
  readonly isAfterKey: string;
}

/** The statement of one page. Its parameters are the values of the key after which the page begins, if any. */
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
  // The sizes are looked up first: they are known without the values, so that nothing too big is ever loaded.
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

/** Names come from the catalogs, which both engines quote alike. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
