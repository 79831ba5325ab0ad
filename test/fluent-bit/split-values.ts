/** `grep` and its like: the text up to the first space, and the rest with its spaces and quotes. */
export function splitOnce(value: string): [string, string] {
  const [, first, rest] = /^(\S+) +(.+)$/.exec(value) ?? [];
  if (first === undefined || rest === undefined) throw new Error(`expected a key and a value: ${value}`);
  return [first, rest];
}

/**
 * `modify`: words separated by spaces. A word in quotes may have spaces; within it a backslash stands before a quote
 * or a backslash. Outside of quotes a backslash is a character like any other.
 */
export function splitQuoted(value: string): string[] {
  const words: string[] = [];
  let rest = value.trimStart();
  while (rest !== '') {
    const word = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"']\S*))(?:\s+|$)/.exec(rest);
    if (word === null) throw new Error(`a quote is not closed: ${value}`);
    const [all, inDoubleQuotes, inSingleQuotes, bare] = word;
    words.push(
      bare ??
        inDoubleQuotes?.replaceAll(/\\(["\\])/g, '$1') ??
        inSingleQuotes?.replaceAll(/\\(['\\])/g, '$1') ??
        '',
    );
    rest = rest.slice(all.length);
  }
  return words;
}
