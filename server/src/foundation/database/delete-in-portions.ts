import { type RawBuilder, sql } from 'kysely';
import type { Engine } from './migrations/column-types.ts';

const portionSize = 1_000;

/**
 * Deletes all due rows in portions, so that reports get their turn in between. When the service closes, it stops after a portion, and the next start
 * deletes the rest.
 *
 * @param deleteSome deletes up to `limit` rows and returns their number.
 */
export async function deleteInPortions(
  closing: AbortSignal,
  deleteSome: (limit: number) => Promise<number>,
): Promise<void> {
  let deleted: number;
  // Others may have removed or changed some rows of a portion before it is deleted.
  do deleted = await deleteSome(portionSize);
  while (deleted > 0 && !closing.aborted);
}

/**
 * True for up to `limit` due rows of a table, for `where`. Rows that another transaction has locked wait for the next time, so that no deadlock is
 * possible.
 *
 * @param key columns of the primary key
 */
export function isInPortion(
  engine: Engine,
  table: string,
  key: readonly string[],
  isDue: RawBuilder<unknown>,
  limit: number,
): RawBuilder<boolean> {
  const due = sql`from ${sql.table(table)} where ${isDue} limit ${limit}`;
  // An array is read once, whatever the plan is.
  if (engine === 'postgres')
    return sql<boolean>`ctid = any(array(select ctid ${due} for update skip locked))`;
  const columns = sql.join(key.map((column) => sql.ref(column)));
  return sql<boolean>`(${columns}) in (select ${columns} ${due})`;
}
