/** A word that no shell changes: `'` ends the quotes, is written by itself, and begins them again. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
