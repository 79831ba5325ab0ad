/**
 * Characters that a terminal interprets or hides: C0 and C1 controls, line and paragraph separators, characters that
 * change the text direction (UAX #9), and invisible ones, with which two different names can look the same.
 */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

const shortNames: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text of other people on one line; characters that a terminal would interpret are escaped, as `\x1b`. */
export function printable(text: string): string {
  return text.replaceAll(unsafe, (character) => shortNames[character] ?? escapeCharacter(character));
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return code > 0xff
    ? `\\u${code.toString(16).padStart(4, '0')}`
    : `\\x${code.toString(16).padStart(2, '0')}`;
}

/** JSON of the same value in which those characters are escaped too. */
export function printableJson(value: unknown, indent?: number): string {
  return escapeInJson(JSON.stringify(value, undefined, indent));
}

/** The same of a JSON text. */
export function escapeInJson(json: string): string {
  return json.replaceAll(unsafe, (character) =>
    // The line breaks that format the JSON stay. Those within its strings are already escaped.
    character === '\n' ? character : escapeJson(character),
  );
}

function escapeJson(character: string): string {
  let text = '';
  for (let index = 0; index < character.length; index += 1) {
    text += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return text;
}
