import { hash } from 'node:crypto';
import type { TableCopy } from './copy-table.ts';
import { targetReaderOf } from './copy-target.ts';
import { type CopiedRow, keyOf, pagesOf, type ReadRows, type RowKey } from './row-pages.ts';
import type { TableShape } from './table-shape.ts';

/**
 * All rows of a table: their number, and the sum of their digests. The sum does not depend on the order of rows,
 * because an error that was moved to another place on SQLite comes after errors with greater ids.
 */
interface TableDigest {
  readonly rows: number;
  readonly sum: bigint;
}

/** Compares both sides of a table. Returns a sentence about the difference, or undefined. */
export async function verifyTable(parts: TableCopy): Promise<string | undefined> {
  return parts.table.mode === 'rows' ? verifyRows(parts) : verifyGeneration(parts);
}

async function verifyRows({ source, target, shape, limits, onRows }: TableCopy): Promise<string | undefined> {
  const readSource = source.readerOf(shape, limits);
  const readTarget = targetReaderOf(target, shape, limits);
  const [here, there] = await Promise.all([
    digestOf(shape, readSource, () => undefined),
    digestOf(shape, readTarget, onRows),
  ]);
  if (here.rows === there.rows && here.sum === there.sum) return undefined;
  const key = await findFirstDifference(shape, readSource, readTarget);
  const place = key === undefined ? '' : `, first at ${describeKey(shape, key)}`;
  return here.rows === there.rows
    ? `${shape.table}: ${here.rows} rows on both sides, but not the same${place}`
    : `${shape.table}: ${here.rows} rows in the source, ${there.rows} in the target${place}`;
}

async function verifyGeneration({ source, target, shape, limits, onRows }: TableCopy) {
  const [here = 0, there = 0] = await Promise.all(
    [source.readerOf(shape, limits), targetReaderOf(target, shape, limits)].map(async (read) => {
      const [row = []] = await read(undefined);
      return Number(row[shape.columns.findIndex(({ name }) => name === 'generation')]);
    }),
  );
  onRows(1);
  return there > here ? undefined : `${shape.table}: generation ${there}, where it must be above ${here}`;
}

async function digestOf(
  shape: TableShape,
  read: ReadRows,
  onRows: (rows: number) => void,
): Promise<TableDigest> {
  let rows = 0;
  let sum = 0n;
  for await (const page of pagesOf(shape, read)) {
    for (const row of page.rows) sum += BigInt(`0x${hash('sha256', encodeRow(row))}`);
    rows += page.rows.length;
    onRows(rows);
  }
  return { rows, sum };
}

/** A row as one line of JSON. Two rows have the same line exactly if all their values are equal. */
function encodeRow(row: CopiedRow): string {
  const values = row.map((value) =>
    value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value,
  );
  return `${JSON.stringify(values)}\n`;
}

/** The smallest key at which the two sides differ; undefined if they have become equal in the meantime. */
async function findFirstDifference(
  shape: TableShape,
  readSource: ReadRows,
  readTarget: ReadRows,
): Promise<RowKey | undefined> {
  const target = rowsOf(shape, readTarget);
  for await (const row of rowsOf(shape, readSource)) {
    const { value: other } = await target.next();
    if (other === undefined) return keyOf(shape, row);
    if (encodeRow(other) !== encodeRow(row)) return lesser(keyOf(shape, row), keyOf(shape, other));
  }
  const { value: surplus } = await target.next();
  return surplus === undefined ? undefined : keyOf(shape, surplus);
}

async function* rowsOf(shape: TableShape, read: ReadRows): AsyncGenerator<CopiedRow, undefined, undefined> {
  for await (const page of pagesOf(shape, read)) yield* page.rows;
}

function lesser(one: RowKey, other: RowKey): RowKey {
  const position = one.findIndex((value, index) => value !== other[index]);
  return position >= 0 && String(other[position]) < String(one[position]) ? other : one;
}

function describeKey({ key }: TableShape, values: RowKey): string {
  return key.map((name, index) => `${name} ${String(values[index])}`).join(', ');
}
