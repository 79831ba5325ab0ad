import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Engine } from './migrations/column-types.ts';

/** A condition that an id is one of these. The SQL is the same for any number of ids, so that it is prepared once. */
export function isAnyID(
  engine: Engine,
  column: Expression<string>,
  ids: readonly string[],
): RawBuilder<SqlBool> {
  return engine === 'sqlite'
    ? sql<SqlBool>`${column} in (select value from json_each(${JSON.stringify(ids)}))`
    : sql<SqlBool>`${column} = any(${ids}::uuid[])`;
}
