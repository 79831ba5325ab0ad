/** A string without its escapes, and where each of its characters stands in the text around it. */
export interface UnescapedString {
  readonly text: string;
  /** One more than the text has characters: the last is the end. */
  readonly offsets: Uint32Array;
}

/** Reads the escapes that JSON (RFC 8259), YAML and TOML share; others stay as they are. */
export function unescapeString(text: string, start: number, end: number): UnescapedString {
  const pieces: string[] = [];
  const offsets = new Uint32Array(end - start + 1);
  let length = 0;
  let position = start;
  while (position < end) {
    const character =
      text[position] === '\\' && position + 1 < end ? escapes[text.charAt(position + 1)] : undefined;
    pieces.push(character ?? text.charAt(position));
    offsets[length] = position;
    length += 1;
    position += character === undefined ? 1 : 2;
  }
  offsets[length] = end;
  return { text: pieces.join(''), offsets };
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  '/': '/',
};
