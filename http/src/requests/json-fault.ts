/**
 * The position at which a text stops being JSON (RFC 8259), in UTF-16 units; its length if it only ends too early. For texts that `JSON.parse`
 * refuses: its message has the position only for some faults, and quotes the text.
 */
export function findJsonFault(text: string): number {
  /** `]` or `}` for each array or object that is open. */
  const open: string[] = [];
  let expected: 'value' | 'first' | 'key' | 'colon' | 'next' = 'value';
  let position = skipSpace(text, 0);
  while (position < text.length && (expected !== 'next' || open.length > 0)) {
    const character = text.charAt(position);
    const closer = open.at(-1);
    let end = position + 1;
    if (expected === 'first' && character === closer) {
      open.pop();
      expected = 'next';
    } else if (expected === 'key' || (expected === 'first' && closer === '}')) {
      if (character !== '"') return position;
      end = skipString(text, position);
      expected = 'colon';
    } else if (expected === 'colon') {
      if (character !== ':') return position;
      expected = 'value';
    } else if (expected === 'next') {
      if (character !== ',' && character !== closer) return position;
      if (character === closer) open.pop();
      else expected = closer === '}' ? 'key' : 'value';
    } else if (character === '[' || character === '{') {
      open.push(character === '[' ? ']' : '}');
      expected = 'first';
    } else {
      end = character === '"' ? skipString(text, position) : skipWord(text, position);
      expected = 'next';
    }
    if (end < 0) return -end - 1;
    position = skipSpace(text, end);
  }
  return position;
}

function skipSpace(text: string, start: number): number {
  let position = start;
  while (position < text.length && ' \t\n\r'.includes(text.charAt(position))) position += 1;
  return position;
}

/** The position after the string; `-1 - place` if it is invalid at that place. */
function skipString(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position += 1) {
    const character = text.charAt(position);
    if (character === '"') return position + 1;
    if (character < ' ') return -1 - position;
    if (character === '\\') {
      const escaped = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;
      escaped.lastIndex = position + 1;
      if (!escaped.test(text)) return -1 - position;
      position = escaped.lastIndex - 1;
    }
  }
  return -1 - text.length;
}

/** The position after a number, `true`, `false` or `null`; `-1 - place` if there is none. */
function skipWord(text: string, start: number): number {
  const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
  word.lastIndex = start;
  return word.test(text) ? word.lastIndex : -1 - start;
}
