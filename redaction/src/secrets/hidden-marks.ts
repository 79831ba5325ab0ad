/** Characters without a glyph: joiners, spaces of no width, and marks of direction (Unicode 16.0, section 23.2). */
const wide = String.raw`\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff`;
/** The only one of Latin-1, searched apart: in a text of Latin-1, this pattern then costs nothing. */
const softHyphen = '\u00ad';
const anyWide = new RegExp(`[${wide}]`);
const hidden = `[${softHyphen}${wide}]`;
/** Beside characters of names and their syntax alone: other scripts need joiners. Not the byte order mark of a file. */
const besideName = new RegExp(`(?<=[\\w.:='"-])${hidden}|(?!^)${hidden}(?=[\\w.:='"-])`, 'g');

/**
 * Redacts a text as it looks: `pass\u200bword=x` has no name that means a secret, and everyone reads one. A text without a secret stays as it is.
 */
export function redactVisible(text: string, redact: (text: string) => string): string {
  if (!text.includes(softHyphen) && !anyWide.test(text)) return redact(text);
  const visible = text.replaceAll(besideName, '');
  const redacted = redact(visible);
  return redacted === visible ? text : redacted;
}
