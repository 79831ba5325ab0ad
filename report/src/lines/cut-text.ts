/** Longest text of an agent error that the service takes, in code points. */
const maxTextLength = 1_024;

/** Cuts a text that is too long to 1023 code points and `…`. */
export function cutText(text: string): string {
  if (text.length <= maxTextLength) return text;
  let length = 0;
  let end = 0;
  let cutAt = 0;
  for (const character of text) {
    length += 1;
    end += character.length;
    if (length === maxTextLength - 1) cutAt = end;
    if (length > maxTextLength) return `${text.slice(0, cutAt)}…`;
  }
  return text;
}
