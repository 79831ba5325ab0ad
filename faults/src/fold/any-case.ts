/** Makes a pattern match words in any case, for patterns that are joined with case-sensitive ones. */
export function anyCase(words: string): string {
  return words.replace(/\\.|[a-z]/g, (one) => (one.length > 1 ? one : `[${one}${one.toUpperCase()}]`));
}
