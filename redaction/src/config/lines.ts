/** Where the line of a position ends: at its line break or at the end of the text. */
export function endOfLine(text: string, position: number): number {
  let end = position;
  while (end < text.length && !isLineBreak(text.charCodeAt(end))) end += 1;
  return end;
}

/** Where the line of a position starts, or `from` when that comes later. */
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

export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** The key of a YAML map that stands on a line. */
interface BlockKey {
  readonly column: number;
  /** In a comment, `#` counts as indentation. */
  readonly isCommentedOut: boolean;
  /** Nothing that is a value stands beside the key: the items of a list may start in the key's own column. */
  readonly isBare: boolean;
}

/**
 * The end of the last line that belongs to a value of YAML, which every line does that is indented further than
 * its key; the end of the key's own line when none does.
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
