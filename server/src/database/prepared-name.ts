/**
 * The beginning of a statement that PostgreSQL prepares under this name: for statements in transactions of Kysely, which has no names for them. Each
 * text needs a name of its own, and names its columns, see `PreparedStatement`.
 */
export function preparedAs(name: string): string {
  return `/* prepared as ${name} */`;
}

/** The name under which a statement is prepared, if it begins with `preparedAs`. */
export function preparedName(text: string): string | undefined {
  if (!text.startsWith('/* prepared as ')) return undefined;
  return text.slice('/* prepared as '.length, text.indexOf(' */'));
}
