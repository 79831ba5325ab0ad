import { isSpace, skipSpaces } from './lines.ts';

/**
 * The position of the first word of a line or a string: after blanks, bullets, comment signs, and a shell keyword such
 * as `export`.
 */
export function skipPrefix(text: string, start: number, limit: number): number {
  let position = start;
  while (position < limit && isPrefix(text, position)) position += 1;
  return Math.min(endOfMatch(shellWord, text, position), limit);
}

function isPrefix(text: string, position: number): boolean {
  switch (text[position]) {
    case '\ufeff':
    case '#':
    case ';':
    case '*':
    case '?':
      return true;
    case '/':
      return text[position + 1] === '/' || text[position - 1] === '/';
    case '-':
      return isSpace(text.charCodeAt(position + 1));
    default:
      return isSpace(text.charCodeAt(position));
  }
}

const shellWord = /(?:export|set|setx|env|arg|local)[ \t]{1,64}/iy;

/** The end of the name that starts here: letters, digits and `_ - . / @`. */
export function endOfName(text: string, start: number, limit: number): number {
  let end = start;
  while (end < limit && isNameCode(text.charCodeAt(end))) end += 1;
  return end;
}

export function isNameCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x2d && code <= 0x39) ||
    code === 0x5f ||
    code === 0x40
  );
}

/**
 * The `:` or `=` after a key, also with characters between them, as in `config['key'] = ` and `key[0]=`; undefined if
 * none follows.
 */
export function findSeparator(
  text: string,
  keyEnd: number,
  isQuoted: boolean,
  limit: number,
): number | undefined {
  let position = isQuoted ? keyEnd : skipClosingQuote(text, keyEnd);
  if (text[position] === ']') position += 1;
  if (text[position] === '[') position = endOfMatch(index, text, position);
  position = skipSpaces(text, position, limit);
  if ((text[position] === '?' || text[position] === '+') && text[position + 1] === '=') position += 1;
  if (position >= limit) return undefined;
  return text[position] === ':' || text[position] === '=' ? position : undefined;
}

/** `[0]` or `[]` */
const index = /\[\w{0,32}\]/y;

/** A quote after a bare word closes a string that opened on another line or further left. */
function skipClosingQuote(text: string, start: number): number {
  let position = start;
  while (text[position] === '\\') position += 1;
  return text[position] === '"' || text[position] === "'" ? position + 1 : start;
}

/** The start of the value after a separator, which may have a second character: `:=`, `==`, `=>`, `=~`. */
export function startOfValue(text: string, separator: number, limit: number): number {
  let position = separator + 1;
  while (position < limit && /[=>~]/.test(text.charAt(position))) position += 1;
  return skipSpaces(text, position, limit);
}

/** The text between a flag and its value: blanks, a comma, a joined line, the bullet of the next item. */
const afterFlag =
  /[^\S\r\n]{0,256}(?:\r?\n[^\S\r\n]{0,256}-[^\S\r\n]{1,64}|,[^\S\r\n]{0,256}(?:\r?\n[^\S\r\n]{0,256}(?:-[^\S\r\n]{1,64})?)?|\\\r?\n[^\S\r\n]{0,256})?/y;

/** The start of the value of a flag, possibly on the next line. */
export function startOfFlagValue(text: string, flagEnd: number): number {
  return endOfMatch(afterFlag, text, flagEnd);
}

/** In `http://token:8080/`, the name of the host is not a key. */
export function isHostWithPort(text: string, start: number, end: number): boolean {
  return text.startsWith('//', start) && endOfMatch(port, text, end) > end;
}

const port = /:\d{1,5}(?![\w.~-])/y;

/** The end of the match of a sticky pattern, or its start if there is none. */
function endOfMatch(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}
