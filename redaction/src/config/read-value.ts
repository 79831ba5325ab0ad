import { endOfHeredoc } from '../secrets/heredoc.ts';
import {
  findClosingBracket,
  findClosingQuote,
  type OpeningQuote,
  readOpeningQuote,
} from './closing-delimiter.ts';
import { afterLineBreak, endOfBlock, endOfLine, skipSpaces } from './lines.ts';
import { endOfPlainValue } from './plain-value.ts';

/** The position of the value of a key. */
export interface ValuePlace {
  readonly start: number;
  /** The end of the line or of the string around it. */
  readonly limit: number;
  /** True if it is on a line of its own, so that the value may continue on further lines. */
  readonly isLine: boolean;
  /** The separator between key and value; `flag`: the value is the argument of a `--key`. */
  readonly separator: ':' | '=' | ' ' | 'flag';
  /** True if the key comes first on the line or in the string, so that everything after it may be the value. */
  readonly keyIsFirst: boolean;
  readonly keyStart: number;
  /** How the key is quoted: `"`, `\"`, `'`, or nothing. */
  readonly keyQuote: string;
  /** The column of a key that YAML may continue over indented lines; undefined for others. */
  readonly blockColumn: number | undefined;
  readonly isCommentedOut: boolean;
  /** The code of the bracket that closes the innermost one around the value. */
  readonly closer: number | undefined;
}

/** The range to replace by `before`, the marker, and `after`. */
interface Value {
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
  /** Where reading continues. */
  readonly next: number;
}

/** Finds the whole value of a key: a string, a list or map, a plain word or text, or a YAML block. */
export function readValue(text: string, place: ValuePlace): Value {
  const { start, limit } = place;
  if (start >= limit) return readNestedBlock(text, place);
  const heredocEnd = endOfHeredoc(text, start);
  if (heredocEnd !== undefined) return plain(start, Math.min(heredocEnd, furthestEnd(text, place)));
  const quote = readOpeningQuote(text, start, limit);
  if (quote !== undefined) return readQuoted(text, place, quote);
  if (opensCollection(text, start)) return readCollection(text, place);
  return readPlain(text, place, start);
}

/** True where a map begins; `{{` begins a template. */
export function opensMap(text: string, start: number): boolean {
  return text[start] === '{' && text[start + 1] !== '{';
}

function opensCollection(text: string, start: number): boolean {
  return text[start] === '[' || opensMap(text, start);
}

/** The value starts on a later line: a YAML block, or JSON whose brackets have lines of their own. */
function readNestedBlock(text: string, place: ValuePlace): Value {
  const { start, blockColumn: column } = place;
  if (column === undefined) return plain(start, start);
  const next = place.keyQuote === '' ? start : skipBlanks(text, start);
  if (opensCollection(text, next))
    return readCollection(text, { ...place, start: next, limit: endOfLine(text, next) });
  const end = endOfBlock(text, start, { column, isCommentedOut: place.isCommentedOut, isBare: true });
  return { ...plain(start, end), before: text[start - 1] === ':' ? ' ' : '' };
}

function skipBlanks(text: string, start: number): number {
  let position = start;
  while (position < text.length && /\s/.test(text.charAt(position))) position += 1;
  return position;
}

function readQuoted(text: string, place: ValuePlace, quote: OpeningQuote): Value {
  const limit = furthestEnd(text, place);
  const closing = findClosingQuote(text, quote, limit);
  if (closing === undefined) return plain(quote.contentStart, limit);
  if (goesOn(text, place, closing.end)) return readPlain(text, place, closing.end);
  return { ...plain(quote.contentStart, closing.contentEnd), next: closing.end };
}

function readCollection(text: string, place: ValuePlace): Value {
  const end = findClosingBracket(text, place.start, furthestEnd(text, place));
  if (end === undefined) return quotedLikeKey(place, furthestEnd(text, place));
  if (place.keyQuote === '' || goesOn(text, place, end)) return readPlain(text, place, end);
  return quotedLikeKey(place, end);
}

function furthestEnd(text: string, place: ValuePlace): number {
  return place.isLine ? text.length : place.limit;
}

/** True if more of the value follows its apparent end, as in `"abc"def`. */
function goesOn(text: string, place: ValuePlace, end: number): boolean {
  const limit = limitAt(text, place, end);
  if (end >= limit) return false;
  if (place.separator === ' ') return skipSpaces(text, end, limit) < limit;
  return !/[\s,;&}\])|>]/.test(text.charAt(end));
}

/** @param from where the search for the end begins; everything before it belongs to the value */
function readPlain(text: string, place: ValuePlace, from: number): Value {
  const literal = place.keyQuote === '' ? undefined : endOfJsonLiteral(text, place);
  if (literal !== undefined) return quotedLikeKey(place, literal);
  const limit = limitAt(text, place, from);
  let end = endOfPlainValue(text, { ...place, limit }, from);
  if (place.isLine && end === limit) {
    end = endOfContinuedLine(text, end);
    if (place.blockColumn !== undefined) {
      const isBare = /[#&!]/.test(text.charAt(place.start));
      end = endOfBlock(text, end, {
        column: place.blockColumn,
        isCommentedOut: place.isCommentedOut,
        isBare,
      });
    }
  }
  return plain(place.start, trimEnd(text, place.start, end));
}

/** A value that ends on a later line cannot extend past that line. */
function limitAt(text: string, place: ValuePlace, position: number): number {
  return position > place.limit ? endOfLine(text, position) : place.limit;
}

function endOfJsonLiteral(text: string, place: ValuePlace): number | undefined {
  const literal = /(?:-?\d[\d.eE+-]{0,64}|true|false|null)(?=[ \t]{0,256}(?:[,}\]\r\n]|$))/y;
  literal.lastIndex = place.start;
  return literal.test(text) && literal.lastIndex <= place.limit ? literal.lastIndex : undefined;
}

/** A backslash at the end of a line joins the next one to it. */
function endOfContinuedLine(text: string, lineEnd: number): number {
  let end = lineEnd;
  while (text[end - 1] === '\\' && end < text.length) end = endOfLine(text, afterLineBreak(text, end));
  return end;
}

/** Keeps the blanks at the end of a value, and the comma of a list. */
function trimEnd(text: string, start: number, end: number): number {
  let trimmed = end;
  while (trimmed > start && /\s/.test(text.charAt(trimmed - 1))) trimmed -= 1;
  return trimmed > start && text[trimmed - 1] === ',' ? trimmed - 1 : trimmed;
}

/** A value without quotes gets the quotes of its key, so that JSON stays valid. */
function quotedLikeKey({ start, keyQuote }: ValuePlace, end: number): Value {
  return { ...plain(start, end), before: keyQuote, after: keyQuote };
}

function plain(start: number, end: number): Value {
  return { start, end, before: '', after: '', next: end };
}
