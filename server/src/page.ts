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
