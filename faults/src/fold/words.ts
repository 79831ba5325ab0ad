import type { FoldStart } from './fold-rule.ts';

/** The start of a rule that may match at a character; undefined: none. */
export function kindOf(code: number): FoldStart | undefined {
  return code < 128 ? kinds[code] : undefined;
}

/** A letter, a digit or `_`. */
export function isWordCode(code: number): boolean {
  return code < 128 && wordCodes[code] !== 0;
}

/** The index after the letters, digits and `_` that begin at an index. */
export function endOfWord(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isWordCode(text.charCodeAt(end))) end += 1;
  return end;
}

/** The maximum length that is read of a name with hyphens. */
const maxNameLength = 96;

/**
 * True if the word may begin an id, an address, a version or a date: it contains a digit, or it is followed by a character
 * that follows the parts of these.
 */
export function isSuspectWord(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (isDigit(text.charCodeAt(at))) return true;
  const length = end - start;
  const after = text.charCodeAt(end);
  if (after === hyphen) return hasDigitInName(text, end);
  if (after === colon) return length <= 4;
  return length === 3 && (after === blank || after === comma) && text.charCodeAt(start) < firstSmallLetter;
}

function hasDigitInName(text: string, start: number): boolean {
  const limit = Math.min(text.length, start + maxNameLength);
  for (let at = start; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) return true;
    if (code !== hyphen && !isWordCode(code)) return false;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

const hyphen = 45;
const comma = 44;
const blank = 32;
const colon = 58;
const firstSmallLetter = 97;

function makeKinds(): readonly (FoldStart | undefined)[] {
  const table: (FoldStart | undefined)[] = Array.from({ length: 128 }, () => undefined);
  const fill = (characters: string, kind: FoldStart): void => {
    for (const one of characters) table[one.charCodeAt(0)] = kind;
  };
  fill('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_', 'letter');
  fill('0123456789', 'digit');
  fill('"\'', 'quote');
  fill('/', 'slash');
  fill('<', 'placeholder');
  fill(':', 'colon');
  return table;
}

const kinds = makeKinds();

const wordCodes = Uint8Array.from(kinds, (kind) => (kind === 'letter' || kind === 'digit' ? 1 : 0));
