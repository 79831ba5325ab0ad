const opening = /<<[-~]?\\{0,7}["']?([A-Za-z_]\w{0,63})/y;

/**
 * The end of a heredoc of HCL, Ruby or a shell that opens here: behind its delimiter, or the end of the text if that is missing. Its line breaks may be
 * escaped, as in JSON.
 *
 * @returns undefined if none opens here
 */
export function endOfHeredoc(text: string, start: number): number | undefined {
  opening.lastIndex = start;
  const delimiter = opening.exec(text)?.[1];
  if (delimiter === undefined) return undefined;
  let at = text.indexOf(delimiter, opening.lastIndex);
  while (at >= 0 && !isAlone(text, at, at + delimiter.length)) at = text.indexOf(delimiter, at + 1);
  return at < 0 ? text.length : at + delimiter.length;
}

function isAlone(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 64), start);
  return /(?:[\r\n]|\\n)[ \t]{0,62}$/.test(before) && !/\w/.test(text.charAt(end));
}
