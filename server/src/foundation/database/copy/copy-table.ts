import type { PostgresDatabase } from '../database.ts';
import type { PostgresPool } from '../postgres/postgres-pool.ts';
import type { CopiedTable } from './copied-tables.ts';
import { readProgress } from './copy-progress.ts';
import type { CopySource } from './copy-source.ts';
import { type CopiedRow, columnList, type PageLimits, pagesOf, quoteName, type RowKey } from './row-pages.ts';
import type { TableShape } from './table-shape.ts';

export interface TableCopy {
  readonly source: CopySource;
  readonly target: PostgresDatabase;
  readonly table: CopiedTable;
  readonly shape: TableShape;
  readonly limits: PageLimits;
  /** Called with the number of rows copied so far, including those of earlier runs. */
  readonly onRows: (rows: number) => void;
}

/** Copies the rows of a table that no earlier run has copied. */
export async function copyTable({ source, target, table, shape, limits, onRows }: TableCopy): Promise<void> {
  const progress = await readProgress(target.postgres, table.name);
  // An earlier version may have copied in another order. Then existing rows are written again.
  const lastKey = progress.lastKey?.length === shape.key.length ? progress.lastKey : undefined;
  let rows = lastKey === undefined && !progress.isDone ? 0 : progress.rows;
  onRows(rows);
  if (progress.isDone) return;
  const statement = table.mode === 'rows' ? insertStatement(shape) : generationStatement(shape);
  for await (const page of pagesOf(shape, source.readerOf(shape, limits), lastKey)) {
    const parents = shape.parents.length === 0 ? [] : await source.readLaterParents(shape, page);
    rows += page.rows.length;
    await writePage(target.postgres, statement, shape, [...page.rows, ...parents], page.lastKey, rows);
    onRows(rows);
  }
  await target.postgres.query('update copy_progress set is_done = true where table_name = $1', [table.name]);
}

async function writePage(
  target: PostgresPool,
  statement: string,
  { columns, table }: TableShape,
  rows: readonly CopiedRow[],
  lastKey: RowKey,
  rowCount: number,
): Promise<void> {
  await target.query(statement, [
    ...columns.map((_, position) => rows.map((row) => row[position])),
    JSON.stringify(lastKey),
    rowCount,
    table,
  ]);
}

/** Writes the rows and the progress in one commit. An existing row was written by an earlier run. */
function insertStatement(shape: TableShape): string {
  return `
    with page as (${insertInto(shape)} on conflict do nothing)
    ${progressUpdate(shape)}`;
}

/** Returns numbers that are greater than on both sides, even if it is called twice. */
function generationStatement(shape: TableShape): string {
  const table = quoteName(shape.table);
  return `
    with page as (
      ${insertInto(shape)}
      on conflict (id) do update
      set generation = greatest(${table}.generation, excluded.generation) + 1,
        fleet_generation = greatest(${table}.fleet_generation, excluded.fleet_generation) + 1
    )
    ${progressUpdate(shape)}`;
}

function insertInto(shape: TableShape): string {
  const arrays = shape.columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
  return `insert into ${quoteName(shape.table)} (${columnList(shape)}) select * from unnest(${arrays})`;
}

function progressUpdate({ columns }: TableShape): string {
  const first = columns.length + 1;
  return `
    update copy_progress set last_key = $${first}, row_count = $${first + 1} where table_name = $${first + 2}`;
}
