/** Options of a walk through an index; rows are in descending order of their ids. */
interface PortionWalk<Row> {
  /** Maximum number of rows to find. */
  readonly limit: number;
  /** The walk starts after this id; undefined: with the newest row. */
  readonly before: string | undefined;
  /** Called before each portion. If it throws, the walk ends. */
  readonly goOn: () => void;
  /** The id of the row `rows` places after another one; undefined if there are fewer rows. Reads only the index. */
  readonly findEnd: (before: string | undefined, rows: number) => Promise<string | undefined>;
  /** Up to `limit` matching rows after `before`, down to and including `from`. */
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
/** Target duration of a portion, for which other reads wait. */
const portionMilliseconds = 50;

/**
 * Searches rows in portions, one statement each, so that other reads on the same thread get their turn in between, and an abandoned walk can end. The
 * size of a portion adapts to the speed of the machine.
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

/** Time spent waiting for others also makes portions smaller, because others are then waiting too. */
function nextRows(rows: number, milliseconds: number): number {
  if (milliseconds > 2 * portionMilliseconds) return Math.max(minRows, Math.floor(rows / 2));
  if (milliseconds < portionMilliseconds / 2) return Math.min(maxRows, rows * 2);
  return rows;
}
