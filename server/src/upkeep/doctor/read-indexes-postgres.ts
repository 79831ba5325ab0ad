import type pg from 'pg';

/**
 * The indexes of the current schema, by name: `unique agents (project_id, machine_id)`, and `partial` for an index with a condition. The text does
 * not depend on how a version of PostgreSQL prints a definition.
 */
export async function readIndexes(session: pg.Client): Promise<Readonly<Record<string, string>>> {
  const { rows } = await session.query<{ name: string; form: string }>(
    `select index.relname as name,
       concat(
         case when indisunique then 'unique ' end,
         indexed.relname,
         ' (',
         array_to_string(array(select pg_get_indexdef(indexrelid, n, true) from generate_series(1, indnatts) n), ', '),
         ')',
         case when indpred is not null then ' partial' end
       ) as form
     from pg_index
     join pg_class index on index.oid = indexrelid
     join pg_class indexed on indexed.oid = indrelid
     where index.relnamespace = current_schema()::regnamespace
     order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, form }) => [name, form]));
}
