/** A string without its escapes, and the position of each of its characters in the text around it. */
export interface UnescapedString {
  readonly text: string;
  /** One more entry than the text has characters: the last one is the end. */
  readonly offsets: Uint32Array;
}

/** Resolves the escapes of JSON (RFC 8259), YAML and TOML; others are not changed. */
export function unescapeString(text: string, start: number, end: number): UnescapedString {
  const pieces: string[] = [];
  const offsets = new Uint32Array(end - start + 1);
  let length = 0;
  let position = start;
  while (position < end) {
    const found = text[position] === '\\' ? readEscape(text, position, end) : undefined;
    pieces.push(found?.character ?? text.charAt(position));
    offsets[length] = position;
    length += 1;
    position = found?.end ?? position + 1;
  }
  offsets[length] = end;
  return { text: pieces.join(''), offsets };
}

interface Escape {
  readonly character: string;
  readonly end: number;
}

/** @returns undefined if it is not an escape, or the escape of a character with two UTF-16 units */
function readEscape(text: string, start: number, limit: number): Escape | undefined {
  if (start + 1 >= limit) return undefined;
  const character = escapes[text.charAt(start + 1)];
  if (character !== undefined) return { character, end: start + 2 };
  codePoint.lastIndex = start;
  const [matched, ...digits] = codePoint.exec(text) ?? [];
  if (matched === undefined || start + matched.length > limit) return undefined;
  const code = Number.parseInt(digits.find((found) => found !== undefined) ?? '', 16);
  return code > 0xffff ? undefined : { character: String.fromCharCode(code), end: start + matched.length };
}

const codePoint = /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8}))/y;

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  '/': '/',
};
