import type { PostgresPool } from '../postgres/postgres-pool.ts';

interface CopiedColumn {
  readonly name: string;
  /** The type name of the target, such as `uuid`. */
  readonly type: string;
}

/** A table as the target's catalog describes it. */
export interface TableShape {
  readonly table: string;
  readonly columns: readonly CopiedColumn[];
  /** Columns of the primary key, in order. */
  readonly key: readonly string[];
  /** Columns that refer to other rows of the same table by primary key. */
  readonly parents: readonly string[];
}

const columnsSql = `
  select attname as name, format_type(atttypid, null) as type
  from pg_attribute
  where attrelid = to_regclass($1) and attnum > 0 and not attisdropped
  order by attnum`;

const keySql = `
  select attname as name
  from pg_index
  cross join unnest(indkey) with ordinality as part (number, position)
  join pg_attribute on attrelid = indrelid and attnum = part.number
  where indrelid = to_regclass($1) and indisprimary
  order by part.position`;

const parentsSql = `
  select attname as name
  from pg_constraint
  join pg_attribute on attrelid = conrelid and attnum = any (conkey)
  where contype = 'f' and conrelid = to_regclass($1) and confrelid = conrelid`;

export async function readTableShape(target: PostgresPool, table: string): Promise<TableShape> {
  const columns = await target.query<{ name: string; type: string }>(columnsSql, [table]);
  const key = await target.query<{ name: string }>(keySql, [table]);
  const parents = await target.query<{ name: string }>(parentsSql, [table]);
  if (key.length === 0) throw new Error(`the table ${table} has no primary key in the target database`);
  return { table, columns, key: key.map(({ name }) => name), parents: parents.map(({ name }) => name) };
}
