/** A part of a text. `isMark`: it stands for a character that is not visible, or that would change how others are shown. */
export interface TextPart {
  readonly text: string;
  readonly isMark: boolean;
}

// Control characters but line feed and tab; soft hyphens; marks that change the direction of text; spaces without width; line and paragraph separators; tags.
const hidden =
  /[\p{Cc}\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0f]/gu;

/** Splits a text of an agent, or a name, so that everything in it can be seen: hidden characters become their code points. */
export function visibleParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (character === '\n' || character === '\t' || isPartOfEmoji(text, character, index)) continue;
    if (index > end) parts.push({ text: text.slice(end, index), isMark: false });
    parts.push({ text: nameOf(character), isMark: true });
    end = index + character.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isMark: false });
  return parts;
}

/** The same as one text, for places that take no markup, such as titles and options. */
export function visibleText(text: string): string {
  return visibleParts(text)
    .map(({ text: part }) => part)
    .join('');
}

/** A joiner or a variation selector after a picture belongs to it. */
function isPartOfEmoji(text: string, character: string, index: number): boolean {
  if (character !== '\u200d' && !/[\ufe00-\ufe0f]/.test(character)) return false;
  return /(\p{Extended_Pictographic}|[\u{1f3fb}-\u{1f3ff}]|\ufe0f)$/u.test(
    text.slice(Math.max(0, index - 2), index),
  );
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
