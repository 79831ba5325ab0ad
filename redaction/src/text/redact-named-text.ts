import { findClosingQuote, readOpeningQuote } from '../config/closing-delimiter.ts';
import { endOfHeredoc } from '../secrets/heredoc.ts';
import { marker } from '../secrets/marker.ts';
import { isSecretInText, isShortSecretInText } from '../secrets/secret-name.ts';

/** Names are read this far to the left and right of a stem. */
const maxNameLength = 64;

/**
 * Replaces what a line of output assigns to a name that means a secret: `password=…`, `"api_key": "…"`,
 * `Authorization: Basic …`, `--token …`, also within JSON strings. Takes time linear in the length: it moves from one place
 * that may belong to such a name to the next, looks at no more than a name's length around it, and reads on behind the value.
 */
export function redactNamedText(text: string): string {
  let redacted = '';
  let copied = 0;
  let from = 0;
  for (let at = nextStem(text, from); at !== undefined; at = nextStem(text, from)) {
    const nameStart = startOfName(text, at, from);
    const nameEnd = endOfName(text, at);
    from = nameEnd;
    const isFlag =
      text[nameStart] === '-' &&
      (text[nameStart + 1] === '-' || passwordFlag.test(text.slice(nameStart, nameEnd)));
    const start = startOfValue(text, nameEnd) ?? (isFlag ? startOfFlagValue(text, nameEnd) : undefined);
    if (start === undefined) continue;
    const name = text.slice(withWordBefore(text, nameStart), nameEnd);
    const isShort = isShortSecretInText(name);
    if (isShort ? endOfMatch(hasDigit, text, start) === undefined : !isSecretInText(name)) continue;
    const value = readValue(text, start, /authori[sz]ation$/i.test(text.slice(nameStart, nameEnd)));
    if (value === undefined) continue;
    redacted += text.slice(copied, value.start) + marker;
    copied = value.end;
    from = value.end;
  }
  return copied === 0 ? text : redacted + text.slice(copied);
}

/** `-storepass` of Java; flags with two dashes may have any name. */
const passwordFlag = /^-\w{0,32}pass(?:wd|word|phrase)?$/i;

/** Every name that means a secret contains one of these. */
const stem =
  /pa(?:ss|t(?![a-z]))|pw|psk|pin(?![a-z])|jwt|secret|token|cred|auth|bearer|key|cookie|sess|sig|communit|honeycomb|otp/gi;

function nextStem(text: string, from: number): number | undefined {
  stem.lastIndex = from;
  return stem.exec(text)?.index;
}

function startOfName(text: string, at: number, from: number): number {
  const first = Math.max(from, at - maxNameLength);
  let start = at;
  while (start > first && isNameCode(text.charCodeAt(start - 1))) start -= 1;
  // The letter of `\n` in JSON is no part of the name.
  return start > 0 && start < at && text[start - 1] === '\\' && /[nrt]/.test(text.charAt(start))
    ? start + 1
    : start;
}

function endOfName(text: string, at: number): number {
  const last = Math.min(text.length, at + maxNameLength);
  let end = at;
  while (end < last && isNameCode(text.charCodeAt(end))) end += 1;
  return end;
}

/** `API KEY` and `access key id` are one name of several words. */
function withWordBefore(text: string, nameStart: number): number {
  const before = text.slice(Math.max(0, nameStart - 20), nameStart);
  return nameStart - (/(?:[A-Za-z]{2,12} ){1,2}$/.exec(before)?.[0].length ?? 0);
}

/** Letters, digits, `_`, `-` and `.` */
function isNameCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2d ||
    code === 0x2e
  );
}

/** The position after `=`, `:`, `=>` or `": "`, also escaped within a JSON string; not after the `://` of a URL. */
const separator = /\\{0,7}["']?\]?\s{0,4}(?:=>|==?|:(?!\/\/))\s{0,4}/y;
const blank = /[^\S\r\n]{1,4}(?!-)/y;

function startOfValue(text: string, nameEnd: number): number | undefined {
  return endOfMatch(separator, text, nameEnd);
}

function startOfFlagValue(text: string, nameEnd: number): number | undefined {
  return endOfMatch(blank, text, nameEnd);
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** A quoted value, or a value up to a blank or the end of a list item. Undefined if there is nothing to hide. */
function readValue(text: string, start: number, isAuthorization: boolean): Stretch | undefined {
  const heredocEnd = endOfHeredoc(text, start);
  if (heredocEnd !== undefined) return hidden(text, start, endOfMatch(word, text, heredocEnd) ?? heredocEnd);
  const quote = readOpeningQuote(text, start, Math.min(text.length, start + 8));
  if (quote !== undefined) {
    const contentStart = Math.min(quote.contentStart, text.length);
    const closing = findClosingQuote(text, quote, text.length);
    return hidden(text, contentStart, closing?.contentEnd ?? text.length);
  }
  const schemeEnd = isAuthorization ? (endOfMatch(scheme, text, start) ?? start) : start;
  return hidden(text, start, endOfMatch(word, text, schemeEnd) ?? schemeEnd);
}

/** Close to the start, so that no text is read twice. */
const hasDigit = /[^\s\d]{0,64}\d/y;

const word = /[^\s"'&;,)}\]]+/y;
const scheme = /[A-Za-z][\w-]{0,31} (?=[^\s"'&;,)}\]])/y;

function hidden(text: string, start: number, end: number): Stretch | undefined {
  const value = text.slice(start, end);
  return value === '' || value === '\\' || value === marker ? undefined : { start, end };
}

function endOfMatch(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
