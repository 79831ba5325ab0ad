/** The end of the line of a position: its line break or the end of the text. */
export function endOfLine(text: string, position: number): number {
  let end = position;
  while (end < text.length && !isLineBreak(text.charCodeAt(end))) end += 1;
  return end;
}

/** The start of the line of a position, or `from` if that is later. */
export function startOfLine(text: string, from: number, position: number): number {
  let start = position;
  while (start > from && !isLineBreak(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

export function skipSpaces(text: string, position: number, limit: number): number {
  let end = position;
  while (end < limit && isSpace(text.charCodeAt(end))) end += 1;
  return end;
}

/** Blanks and tabs, and the other spaces of Unicode, which editors and web pages put in place of blanks. */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || (code >= 0xa0 && isWideSpace(code));
}

function isWideSpace(code: number): boolean {
  return (
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

/** The key of a YAML map on a line. */
interface BlockKey {
  readonly column: number;
  /** In a comment, `#` counts as indentation. */
  readonly isCommentedOut: boolean;
  /** The key has no value on its line, so the items of a list may start in the column of the key. */
  readonly isBare: boolean;
}

/**
 * The end of the last line of a YAML value: every line that is indented further than its key belongs to it. The end of
 * the key's own line if there is none.
 */
export function endOfBlock(text: string, keyLineEnd: number, key: BlockKey): number {
  let end = keyLineEnd;
  let lineStart = afterLineBreak(text, keyLineEnd);
  while (lineStart < text.length) {
    const lineEnd = endOfLine(text, lineStart);
    const contentStart = skipIndentation(text, lineStart, lineEnd, key.isCommentedOut);
    const column = contentStart - lineStart;
    const isItem = key.isBare && column === key.column && isBullet(text, contentStart, lineEnd);
    const isBlankOrComment = contentStart === lineEnd || text[contentStart] === '#';
    if ((column > key.column && contentStart < lineEnd) || isItem) end = lineEnd;
    else if (!isBlankOrComment) break;
    lineStart = afterLineBreak(text, lineEnd);
  }
  return end;
}

export function afterLineBreak(text: string, lineEnd: number): number {
  return text.startsWith('\r\n', lineEnd) ? lineEnd + 2 : lineEnd + 1;
}

function skipIndentation(text: string, start: number, end: number, isCommentedOut: boolean): number {
  let position = start;
  while (
    position < end &&
    (isSpace(text.charCodeAt(position)) || (isCommentedOut && text[position] === '#'))
  ) {
    position += 1;
  }
  return position;
}

function isBullet(text: string, position: number, lineEnd: number): boolean {
  return text[position] === '-' && (position + 1 === lineEnd || isSpace(text.charCodeAt(position + 1)));
}

function isLineBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}
