/** The requested rows of a list: at most `limit` that follow the row `before`. */
export interface Page {
  readonly limit: number;
  readonly before: string | undefined;
}

/** The rows of one page, and whether another page follows. */
export interface PageOf<Row> {
  readonly rows: readonly Row[];
  readonly hasNext: boolean;
}

/** Drops the one row that was read beyond the page, which shows that another page follows. */
export function toPage<Row>(rowsAndOneMore: readonly Row[], { limit }: Page): PageOf<Row> {
  return { rows: rowsAndOneMore.slice(0, limit), hasNext: rowsAndOneMore.length > limit };
}

/**
 * Like `toPage`, but the page ends early if its rows together exceed `maxBytes`. It has at least one row.
 *
 * @param bytesOf returns the size of a row in the answer.
 */
export function toPageWithin<Row extends { readonly id: string }>(
  rowsAndOneMore: readonly Row[],
  page: Page,
  maxBytes: number,
  bytesOf: (row: Row) => number,
): PageOf<Row> {
  const sizes = rowsAndOneMore.map((row) => ({ id: row.id, bytes: bytesOf(row) }));
  const { ids, hasNext } = takeFitting(sizes, page, maxBytes);
  return { rows: rowsAndOneMore.slice(0, ids.length), hasNext };
}

/** The size of a row that has not been read yet, in bytes. */
export interface RowSize {
  readonly id: string;
  readonly bytes: number;
}

/**
 * Returns the first rows that together have at most `maxBytes`, and at least one row. Pages of large rows are therefore shorter than requested, which
 * bounds their memory.
 *
 * @param sizesAndOneMore includes one row beyond the page if another page follows.
 */
export function takeFitting(
  sizesAndOneMore: readonly RowSize[],
  { limit }: Page,
  maxBytes: number,
): { readonly ids: readonly string[]; readonly hasNext: boolean } {
  const ids: string[] = [];
  let total = 0;
  for (const { id, bytes } of sizesAndOneMore.slice(0, limit)) {
    total += bytes;
    if (ids.length > 0 && total > maxBytes) break;
    ids.push(id);
  }
  return { ids, hasNext: sizesAndOneMore.length > ids.length };
}
