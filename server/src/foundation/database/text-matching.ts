import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Engine } from './migrations/column-types.ts';

/**
 * Conditions on text with the same result on both engines. They are case-sensitive, except for ASCII letters in `containsText`.
 */

/** Matches a whole text against a pattern in which `*` is any number of characters. */
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

/** Matches a part of a text, ignoring the case of ASCII letters. */
export function containsText(engine: Engine, column: Expression<string>, part: string): RawBuilder<SqlBool> {
  const folded = part.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return engine === 'sqlite'
    ? sql<SqlBool>`instr(lower(${column}), ${folded}) > 0`
    : sql<SqlBool>`position(${folded} in lower(${column} collate "C")) > 0`;
}

/** Matches a JSON array that contains the text. */
export function arrayHasText(engine: Engine, column: Expression<string>, text: string): RawBuilder<SqlBool> {
  return engine === 'sqlite'
    ? sql<SqlBool>`exists (select 1 from json_each(${column}) where value = ${text})`
    : sql<SqlBool>`(${column})::jsonb ? ${text}`;
}

/** Matches a text that is one of these. The SQL is the same for any number of texts, so that it is prepared once. */
export function isAnyOf(
  engine: Engine,
  column: Expression<unknown>,
  texts: readonly string[],
): RawBuilder<SqlBool> {
  return engine === 'sqlite'
    ? sql<SqlBool>`${column} in (select value from json_each(${JSON.stringify(texts)}))`
    : sql<SqlBool>`${column} = any(${texts}::text[])`;
}
