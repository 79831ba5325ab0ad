/** Control characters, and marks that change the direction in which text is shown. Line breaks and tabs become spaces where one line is wanted. */
const invisible = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
/** The joiner of emoji and variation selectors are harmless and belong to what people wrote. */
const kept = new Set(['\n', '\t', '\u200d']);

/**
 * Makes a text of an agent safe to show: no control characters, no marks that reverse the text around it (Unicode UAX 9), no
 * characters that cannot be seen.
 */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(invisible, (found) => (kept.has(found) ? found : ''));
}

export function plainLine(text: string): string {
  return plainText(text).replaceAll(/\s+/gu, ' ').trim();
}

/** Cuts to a length in UTF-16 units, the strictest way in which services count, and never inside a character. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const head = text.slice(0, Math.max(0, maxLength - 1));
  return `${/[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head}…`;
}
