import { closerOf, StringReader } from './closing-delimiter.ts';
import { isSpace } from './lines.ts';

interface PlainPlace {
  readonly limit: number;
  readonly separator: ':' | '=' | ' ' | 'flag';
  readonly keyIsFirst: boolean;
  readonly keyStart: number;
  readonly closer: number | undefined;
}

/**
 * The end of a value without quotes. The text before its key determines what ends it. Otherwise the value is the rest
 * of the line or string.
 *
 * @param from where the search for the end begins
 */
export function endOfPlainValue(text: string, place: PlainPlace, from: number): number {
  const { limit, closer } = place;
  if (place.separator === 'flag') return place.keyIsFirst ? limit : endOfShellWord(text, from, limit, closer);
  if (place.separator === ' ' || place.keyIsFirst) return limit;
  if (text[place.keyStart] === '-') return endOfShellWord(text, from, limit, closer);
  const before = text.charAt(place.keyStart - 1);
  if (before === '?' || before === '&') return endOfQueryParameter(text, from, limit, closer);
  const neighbour = lastBefore(text, place.keyStart);
  if (neighbour === ';') return firstOf(text, ';', from, limit);
  if (closer !== undefined) return endOfFlowValue(text, from, limit, closer);
  if (place.separator === '=' && neighbour === ',') return firstOf(text, ',', from, limit);
  if (place.separator === '=' && isSpace(before.charCodeAt(0))) return nextAssignment(text, from, limit);
  return limit;
}

/** In a command line: up to a blank outside of quotes. */
function endOfShellWord(text: string, from: number, limit: number, closer: number | undefined): number {
  const strings = new StringReader();
  let position = from;
  while (position < limit) {
    const code = text.charCodeAt(position);
    if (isSpace(code) || endsFlowValue(code, closer)) return position;
    position = strings.read(text, position, limit)?.end ?? position + (code === 0x5c ? 2 : 1);
  }
  return limit;
}

function endOfQueryParameter(text: string, from: number, limit: number, closer: number | undefined): number {
  let position = from;
  while (position < limit && !/[\s&"'`<>]/.test(text.charAt(position))) {
    if (endsFlowValue(text.charCodeAt(position), closer)) break;
    position += 1;
  }
  return position;
}

/** In `{…}`, `[…]`, `(…)` on one line: up to a comma or the closing bracket. */
function endOfFlowValue(text: string, from: number, limit: number, closer: number): number {
  const closers = [closer];
  for (let position = from; position < limit; position += 1) {
    const code = text.charCodeAt(position);
    if (closers.length === 1 && endsFlowValue(code, closer)) return position;
    const opened = closerOf(code);
    if (opened !== undefined) closers.push(opened);
    else if (code === closers.at(-1)) closers.pop();
  }
  return limit;
}

function endsFlowValue(code: number, closer: number | undefined): boolean {
  return closer !== undefined && (code === closer || code === 0x2c);
}

const assignment = /[ \t](?:-|[\w.-]{1,64}[ \t]?=)/y;

/** In `host=a password=b c dbname=d`: up to the next name or flag. */
function nextAssignment(text: string, from: number, limit: number): number {
  for (let position = from; position < limit; position += 1) {
    if (!isSpace(text.charCodeAt(position))) continue;
    assignment.lastIndex = position;
    if (assignment.test(text)) return position;
  }
  return limit;
}

function firstOf(text: string, character: string, from: number, limit: number): number {
  let position = from;
  while (position < limit && text[position] !== character) position += 1;
  return position;
}

/** The last character before a position that is not a blank. */
function lastBefore(text: string, position: number): string {
  let before = position - 1;
  while (before >= 0 && isSpace(text.charCodeAt(before))) before -= 1;
  return text.charAt(before);
}
