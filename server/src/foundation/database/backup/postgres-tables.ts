import type pg from 'pg';

export const sequencesFileName = 'sequences.json';

interface BackedUpTable {
  readonly table: string;
  /** Without those that PostgreSQL computes. */
  readonly columns: readonly string[];
}

/** Every table in the schema of the installation; a table comes after those that its rows refer to. */
export async function listTables(session: pg.Client): Promise<BackedUpTable[]> {
  const { rows } = await session.query<{ table: string; columns: string[]; parents: string[] }>(`
    select relname as "table",
      array(
        select attname::text from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum
      ) as columns,
      array(
        select distinct parent.relname::text from pg_constraint join pg_class as parent on parent.oid = confrelid
        where conrelid = pg_class.oid and contype = 'f' and confrelid <> conrelid
      ) as parents
    from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and relname not in ('kysely_migration_lock', 'copy_progress')
    order by relname`);
  const sorted = new Map<string, BackedUpTable>();
  for (let left = rows; left.length > 0; ) {
    const ready = left.filter(({ parents }) => parents.every((parent) => sorted.has(parent)));
    if (ready.length === 0) throw new Error('tables of the database refer to one another in a circle');
    for (const { table, columns } of ready) sorted.set(table, { table, columns });
    left = left.filter(({ table }) => !sorted.has(table));
  }
  return [...sorted.values()];
}
