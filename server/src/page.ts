/** Which rows of a list: at most `limit`, those after the row `before`. */
export interface Page {
  readonly limit: number;
  readonly before: string | undefined;
}

/** Rows of one page and whether another one follows. */
export interface PageOf<Row> {
  readonly rows: readonly Row[];
  readonly hasNext: boolean;
}

/** Takes the row that was read beyond the page as the sign that another page follows. */
export function toPage<Row>(rowsAndOneMore: readonly Row[], { limit }: Page): PageOf<Row> {
  return { rows: rowsAndOneMore.slice(0, limit), hasNext: rowsAndOneMore.length > limit };
}

/** A row that has not been read yet, and how many bytes it has. */
export interface RowSize {
  readonly id: string;
  readonly bytes: number;
}

/**
 * The rows of a page that together have at most `maxBytes`, but always the first one. Pages of large rows are shorter
 * than asked for, so that the memory that a page takes has a bound.
 *
 * @param sizesAndOneMore one row beyond the page is the sign that another page follows.
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
