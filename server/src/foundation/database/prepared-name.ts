import { deferredMark, isDeferred } from './deferred-statement.ts';

const mark = '/* prepared as ';

/**
 * The beginning of a statement that PostgreSQL prepares under this name: for statements in transactions of Kysely, which has no names for them. Each
 * text needs a name of its own, and names its columns, see `PreparedStatement`.
 */
export function preparedAs(name: string): string {
  return `${mark}${name} */`;
}

/** The name under which a statement is prepared, if it begins with `preparedAs`, also behind the mark of a deferred one. */
export function preparedName(text: string): string | undefined {
  const start = isDeferred(text) ? deferredMark.length : 0;
  if (!text.startsWith(mark, start)) return undefined;
  return text.slice(start + mark.length, text.indexOf(' */', start));
}
