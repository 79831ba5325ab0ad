/**
 * A quote that opens a string. `depth` counts how often it is escaped: 0 for `"`, 1 for `\"` (a string inside
 * a JSON string), 2 for `\\\"`.
 */
export interface OpeningQuote {
  readonly code: number;
  readonly depth: number;
  readonly contentStart: number;
  /** `"""` or `'''`, as in TOML. */
  readonly isTriple: boolean;
}

/** The range of the content of a string, and the position after its closing quote. */
export interface QuotedString {
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly end: number;
}

const backslash = 0x5c;
const singleQuote = 0x27;

/** The quote that opens at a position, including its backslashes; undefined if there is none. */
export function readOpeningQuote(text: string, start: number, limit: number): OpeningQuote | undefined {
  let position = start;
  while (position < limit && text.charCodeAt(position) === backslash) position += 1;
  const code = position < limit ? text.charCodeAt(position) : 0;
  if (!isQuote(code)) return undefined;
  const depth = escapeDepth(position - start);
  const isTriple = depth === 0 && position + 3 <= limit && isTripled(text, position, code);
  return { code, depth, contentStart: position + (isTriple ? 3 : 1), isTriple };
}

/**
 * The end of the string; undefined if it does not end before the limit. Each character is read once. An escaped
 * string also ends where the string around it ends.
 */
export function findClosingQuote(text: string, quote: OpeningQuote, limit: number): QuotedString | undefined {
  const { code, contentStart } = quote;
  let backslashes = 0;
  for (let position = contentStart; position < limit; position += 1) {
    const found = text.charCodeAt(position);
    if (found === backslash) {
      backslashes += 1;
      continue;
    }
    const escaped = backslashes;
    backslashes = 0;
    if (found !== code) continue;
    const depth = escapeDepth(escaped);
    if (quote.isTriple) {
      if (depth > 0 || position + 3 > limit || !isTripled(text, position, code)) continue;
      return { contentStart, contentEnd: position, end: position + 3 };
    }
    if (depth > quote.depth && !isLiteralBackslash(text, quote, position, limit)) continue;
    if (isDoubled(text, quote, position, limit)) {
      position += 1;
      continue;
    }
    return { contentStart, contentEnd: position - Math.min(escaped, 2 ** depth - 1), end: position + 1 };
  }
  return undefined;
}

/**
 * The position after the bracket that closes the one at `start`; undefined if none does before the limit. Brackets
 * in quotes do not count.
 */
export function findClosingBracket(text: string, start: number, limit: number): number | undefined {
  const closers: number[] = [];
  const strings = new StringReader();
  let position = start;
  while (position < limit) {
    const string = strings.read(text, position, limit);
    if (string !== undefined) {
      position = string.end;
      continue;
    }
    const code = text.charCodeAt(position);
    const closer = closerOf(code);
    if (closer !== undefined) closers.push(closer);
    else if (code === closers.at(-1)) closers.pop();
    position += 1;
    if (closers.length === 0) return position;
  }
  return undefined;
}

/** The code of the bracket that closes this one; undefined if it is not an opening bracket. */
export function closerOf(code: number): number | undefined {
  switch (code) {
    case 0x28:
      return 0x29;
    case 0x5b:
      return 0x5d;
    case 0x7b:
      return 0x7d;
    default:
      return undefined;
  }
}

/** Reads strings of one stretch of text from left to right. */
export class StringReader {
  /** Quotes that are known to have no end, so that a text with many of them is read only once. */
  #unclosed: Set<number> | undefined;

  /** The string that opens at a position and closes before the limit. */
  read(text: string, position: number, limit: number): QuotedString | undefined {
    const first = text.charCodeAt(position);
    if ((first !== backslash && !isQuote(first)) || continuesWord(text, position)) return undefined;
    const quote = readOpeningQuote(text, position, limit);
    if (quote === undefined) return undefined;
    const kind = quote.depth * 512 + quote.code * 2 + (quote.isTriple ? 1 : 0);
    if (this.#unclosed?.has(kind)) return undefined;
    const string = findClosingQuote(text, quote, limit);
    if (string !== undefined) return string;
    this.#unclosed ??= new Set();
    this.#unclosed.add(kind);
    return undefined;
  }
}

function isQuote(code: number): boolean {
  return code === 0x22 || code === singleQuote || code === 0x60;
}

function isTripled(text: string, position: number, code: number): boolean {
  return text.charCodeAt(position + 1) === code && text.charCodeAt(position + 2) === code;
}

/** The nesting depth of a quote after this many backslashes: the number of trailing ones in its binary form. */
function escapeDepth(backslashes: number): number {
  let depth = 0;
  for (let rest = backslashes; rest % 2 === 1; rest = (rest - 1) / 2) depth += 1;
  return depth;
}

/**
 * Fluentd has escapes in single quotes, YAML, TOML and shells do not. A backslash before the last quote of a line is
 * therefore taken literally.
 */
function isLiteralBackslash(text: string, quote: OpeningQuote, position: number, limit: number): boolean {
  if (quote.code !== singleQuote || quote.depth > 0) return false;
  for (let next = position + 1; next < limit; next += 1) {
    const code = text.charCodeAt(next);
    if (code === 0x0a || code === 0x0d) return true;
    if (code === singleQuote) return false;
  }
  return true;
}

/** `''` inside single quotes is a quote, in YAML and SQL. */
function isDoubled(text: string, quote: OpeningQuote, position: number, limit: number): boolean {
  if (quote.code !== singleQuote || quote.depth > 0) return false;
  return position + 1 < limit && text.charCodeAt(position + 1) === singleQuote;
}

/** The quote of `don't` does not open a string, and backslashes are read once, from the first one. */
function continuesWord(text: string, position: number): boolean {
  const before = position === 0 ? 0 : text.charCodeAt(position - 1);
  return (
    before === backslash ||
    before === 0x5f ||
    (before >= 0x30 && before <= 0x39) ||
    (before >= 0x41 && before <= 0x5a) ||
    (before >= 0x61 && before <= 0x7a)
  );
}
