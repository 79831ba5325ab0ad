/** What a walk through the rows of an index asks of it; rows are in descending order of their ids. */
interface PortionWalk<Row> {
  /** The walk ends with so many rows. */
  readonly limit: number;
  /** It begins behind this id; undefined: with the newest row. */
  readonly before: string | undefined;
  /** Called before each portion. Whatever it throws ends the walk. */
  readonly goOn: () => void;
  /** The id of the row that many rows behind another one; undefined where there are no so many. Reads the index alone. */
  readonly findEnd: (before: string | undefined, rows: number) => Promise<string | undefined>;
  /** Rows that fit, behind `before` and down to `from`, that one included; up to `limit`. */
  readonly list: (range: PortionRange, limit: number) => Promise<Row[]>;
  readonly now: () => number;
}

export interface PortionRange {
  readonly before: string | undefined;
  /** Undefined: to the end. */
  readonly from: string | undefined;
}

const firstRows = 1_000;
const minRows = 100;
const maxRows = 50_000;
/** Others wait for so long until it is their turn. */
const portionMilliseconds = 50;

/**
 * Looks for rows in portions of one statement each, so that other reads of the same thread get their turn in between,
 * and a walk that nobody waits for any more can end. A portion is as large as fits in a moment on this machine.
 */
export async function walkInPortions<Row>(walk: PortionWalk<Row>): Promise<Row[]> {
  const { limit, goOn, findEnd, list, now } = walk;
  const found: Row[] = [];
  let { before } = walk;
  for (let rows = firstRows; ; ) {
    goOn();
    const startedAt = now();
    const from = await findEnd(before, rows);
    found.push(...(await list({ before, from }, limit - found.length)));
    if (from === undefined || found.length === limit) return found;
    before = from;
    rows = nextRows(rows, now() - startedAt);
  }
}

/** Time that was spent waiting for others makes portions smaller as well: then there are others who wait. */
function nextRows(rows: number, milliseconds: number): number {
  if (milliseconds > 2 * portionMilliseconds) return Math.max(minRows, rows / 2);
  if (milliseconds < portionMilliseconds / 2) return Math.min(maxRows, rows * 2);
  return rows;
}
