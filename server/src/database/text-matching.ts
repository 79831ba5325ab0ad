import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Engine } from './migrations/column-types.ts';

/**
 * Conditions on text that each engine words in its own way, with the same outcome: case counts, except for the
 * ASCII letters of `containsText`.
 */

/** A whole text in which `*` stands for any run of characters. */
export function matchesName(
  engine: Engine,
  column: Expression<string>,
  pattern: string,
): RawBuilder<SqlBool> {
  if (!pattern.includes('*')) return sql<SqlBool>`${column} = ${pattern}`;
  return engine === 'sqlite'
    ? sql<SqlBool>`${column} glob ${pattern.replaceAll(/[[?]/g, '[$&]')}`
    : sql<SqlBool>`${column} like ${pattern.replaceAll(/[\\%_]/g, '\\$&').replaceAll('*', '%')}`;
}

/** A part of a text; ASCII letters match in either case. */
export function containsText(engine: Engine, column: Expression<string>, part: string): RawBuilder<SqlBool> {
  const folded = part.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return engine === 'sqlite'
    ? sql<SqlBool>`instr(lower(${column}), ${folded}) > 0`
    : sql<SqlBool>`position(${folded} in lower(${column} collate "C")) > 0`;
}

/** A JSON array of texts that has this one. */
export function arrayHasText(engine: Engine, column: Expression<string>, text: string): RawBuilder<SqlBool> {
  return engine === 'sqlite'
    ? sql<SqlBool>`exists (select 1 from json_each(${column}) where value = ${text})`
    : sql<SqlBool>`(${column})::jsonb ? ${text}`;
}

/** A text that is one of these. Its statement is the same for any number of them, so that it is prepared once. */
export function isAnyOf(
  engine: Engine,
  column: Expression<unknown>,
  texts: readonly string[],
): RawBuilder<SqlBool> {
  return engine === 'sqlite'
    ? sql<SqlBool>`${column} in (select value from json_each(${JSON.stringify(texts)}))`
    : sql<SqlBool>`${column} = any(${texts}::text[])`;
}
