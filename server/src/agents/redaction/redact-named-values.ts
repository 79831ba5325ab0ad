import { closerOf, type QuotedString, readOpeningQuote, StringReader } from './closing-delimiter.ts';
import { endOfLine, isSpace, skipSpaces, startOfLine } from './lines.ts';
import { isSecretValue, marker } from './marker.ts';
import { opensCollection, readValue, type ValuePlace } from './read-value.ts';
import { longestName, type NameMeaning, readName } from './secret-name.ts';
import { StemFinder } from './stem-finder.ts';

/**
 * Replaces the values of keys that name a secret. No format is detected: a line is read for every way in which
 * a key and its value can stand in it, since configurations hold each other (a command line in YAML, JSON in
 * TOML). Where the ways differ, the longer value is taken. Each character is read a bounded number of times.
 */
export function redactNamedValues(text: string): string {
  return new NamedValueRedactor(text).redact();
}

/** A stretch that is read as one: a line (after a value of many lines, up to the end of its last) or a string. */
interface Span {
  readonly isLine: boolean;
  readonly lineStart: number;
  /** Where its first word may stand: after indentation, bullets and the like. */
  readonly firstWord: number;
  readonly isCommentedOut: boolean;
  end: number;
  /** Before the next word: 0 none; 1 one, `carrier`, as in `header key value`; 2 more or punctuation. */
  wordsBefore: number;
  carrier: Word | undefined;
  /** Nothing but words so far: what a YAML key may consist of. */
  onlyWords: boolean;
  readonly closers: number[];
  readonly strings: StringReader;
}

/** A word or a quoted string, which may be a key. */
interface Word {
  readonly start: number;
  readonly end: number;
  /** Without its quotes. */
  readonly nameStart: number;
  readonly nameEnd: number;
  /** How it opens: `"`, `\"`, `'`, or nothing. */
  readonly quote: string;
}

const mostNamesRemembered = 1000;

class NamedValueRedactor {
  readonly #text: string;
  readonly #stems: StemFinder;
  readonly #meanings = new Map<string, NameMeaning>();
  readonly #pieces: string[] = [];
  #copied = 0;
  /** Within a TOML table such as `[credentials]`. */
  #inSecretTable = false;
  /** After `name: Authorization`, which makes the next `value: …` a secret. */
  #inSecretPair = false;

  constructor(text: string) {
    this.#text = text;
    this.#stems = new StemFinder(text);
  }

  redact(): string {
    let position = 0;
    while (position < this.#text.length) {
      if (!this.#inSecretPair && !this.#inSecretTable) {
        const stem = this.#stems.next(position);
        if (stem === this.#text.length) break;
        position = startOfLine(this.#text, position, stem);
      }
      const end = endOfLine(this.#text, position);
      this.#readTableHeader(position, end);
      position = this.#readSpan(position, end, true) + 1;
    }
    return this.#pieces.join('') + this.#text.slice(this.#copied);
  }

  #readTableHeader(start: number, end: number): void {
    const first = skipSpaces(this.#text, start, end);
    if (this.#text[first] !== '[' || end - first > longestName) return;
    const name = tableHeader.exec(this.#text.slice(first, end))?.[1];
    if (name !== undefined) this.#inSecretTable = this.#meaningOfName(name) === 'secret';
  }

  /** @returns where the span ended: further on than it was said to when a value went on over lines. */
  #readSpan(start: number, end: number, isLine: boolean): number {
    const text = this.#text;
    const firstWord = skipPrefix(text, start, end);
    const span: Span = {
      isLine,
      lineStart: start,
      firstWord,
      isCommentedOut: firstWord > start && text.slice(start, firstWord).includes('#'),
      end,
      wordsBefore: 0,
      carrier: undefined,
      onlyWords: true,
      closers: [],
      strings: new StringReader(),
    };
    let position = firstWord;
    while (position < span.end) {
      const code = text.charCodeAt(position);
      if (isNameCode(code)) position = this.#readWord(span, position);
      else if (isSpace(code)) position += 1;
      else position = this.#readPunctuation(span, position);
    }
    return Math.max(position, span.end);
  }

  #readWord(span: Span, start: number): number {
    const end = endOfName(this.#text, start, span.end);
    return this.#readAfterWord(span, { start, end, nameStart: start, nameEnd: end, quote: '' }) ?? end;
  }

  #readPunctuation(span: Span, position: number): number {
    const text = this.#text;
    const string = span.strings.read(text, position, span.end);
    if (string !== undefined) return this.#readString(span, position, string);
    const code = text.charCodeAt(position);
    const closer = closerOf(code);
    if (closer !== undefined) span.closers.push(closer);
    else if (code === span.closers.at(-1)) span.closers.pop();
    span.onlyWords = false;
    const isLineBreakInString = code === 0x5c && /[nrt]/.test(text.charAt(position + 1));
    span.wordsBefore = isLineBreakInString ? 0 : 2;
    return position + 1;
  }

  #readString(span: Span, start: number, { contentStart, contentEnd, end }: QuotedString): number {
    const quote = this.#text.slice(start, contentStart);
    const word = { start, end, nameStart: contentStart, nameEnd: contentEnd, quote };
    const next = this.#readAfterWord(span, word);
    if (next !== undefined) return next;
    if (this.#stems.next(contentStart) < contentEnd) this.#readSpan(contentStart, contentEnd, false);
    return end;
  }

  /** @returns where to read on; undefined when the word is no key of a secret or of anything else. */
  #readAfterWord(span: Span, word: Word): number | undefined {
    const separator = findSeparator(this.#text, word, span.end);
    if (separator !== undefined) return this.#readKeyed(span, word, separator);
    const { wordsBefore, carrier } = span;
    span.wordsBefore = wordsBefore === 0 ? 1 : 2;
    span.carrier = word;
    if (this.#meaningOf(word) === 'harmless') return undefined;
    if (this.#text[word.nameStart] === '-') return this.#readFlag(span, word);
    if (wordsBefore === 2 || (carrier !== undefined && takesPattern.has(this.#shortName(carrier))))
      return undefined;
    const value = skipSpaces(this.#text, word.end, span.end);
    if (value === word.end || value === span.end) return undefined;
    return this.#redactValue(span, { ...placeOf(span, word, value), separator: ' ' });
  }

  /** `key: value` and `key = value`, with everything that is written between the two. */
  #readKeyed(span: Span, word: Word, separator: number): number {
    const text = this.#text;
    const kind = text[separator] === ':' ? ':' : '=';
    const value = skipSpaces(text, skipOperator(text, separator, span.end), span.end);
    const meaning = this.#meaningOfKey(span, word, kind, value);
    const { wordsBefore, onlyWords } = span;
    span.wordsBefore = 1;
    span.carrier = word;
    span.onlyWords = false;
    if (meaning === 'harmless') return value;
    const place: ValuePlace = {
      ...placeOf(span, word, value),
      separator: kind,
      keyIsFirst: wordsBefore === 0,
      blockColumn: span.isLine && onlyWords && kind === ':' ? span.firstWord - span.lineStart : undefined,
    };
    const isMap = value === span.end || (text[value] === '{' && opensCollection(text, value));
    if (meaning === 'secret-scalar' && isMap) return value;
    return this.#redactValue(span, place);
  }

  #meaningOfKey(span: Span, word: Word, kind: ':' | '=', value: number): NameMeaning {
    const meaning = this.#meaningOf(word);
    const name = this.#shortName(word);
    const isInPair = this.#inSecretPair && holdsPairValue.has(name);
    if (isInPair) this.#inSecretPair = false;
    if (namesPair.has(name)) this.#inSecretPair = this.#startsWithSecretName(value, span.end);
    if (isInPair) return 'secret';
    if (this.#inSecretTable && kind === '=' && span.isLine && span.wordsBefore === 0) return 'secret';
    return isHostWithPort(this.#text, word) ? 'harmless' : meaning;
  }

  #startsWithSecretName(start: number, limit: number): boolean {
    const nameStart = readOpeningQuote(this.#text, start, limit)?.contentStart ?? start;
    return this.#meaningOf({ nameStart, nameEnd: endOfName(this.#text, nameStart, limit) }) !== 'harmless';
  }

  /** `--key value`, in a command line or as two items of a list. */
  #readFlag(span: Span, word: Word): number | undefined {
    gapAfterFlag.lastIndex = word.end;
    const start = gapAfterFlag.test(this.#text) ? gapAfterFlag.lastIndex : word.end;
    const isOnLaterLine = start > span.end;
    if (start === word.end || start === span.end || (isOnLaterLine && !span.isLine)) return undefined;
    const isItem = isOnLaterLine && !this.#text.slice(word.end, start).includes('\\');
    if (isOnLaterLine) span.end = endOfLine(this.#text, start);
    return this.#redactValue(span, { ...placeOf(span, word, start), separator: 'flag', keyIsFirst: isItem });
  }

  #redactValue(span: Span, place: ValuePlace): number {
    const { start, end, before, after, next } = readValue(this.#text, place);
    if (isSecretValue(this.#text.slice(start, end))) {
      this.#pieces.push(this.#text.slice(this.#copied, start), `${before}${marker}${after}`);
      this.#copied = end;
    }
    if (next > span.end) span.end = endOfLine(this.#text, next);
    span.wordsBefore = 2;
    span.onlyWords = false;
    return next;
  }

  #meaningOf({ nameStart, nameEnd }: Pick<Word, 'nameStart' | 'nameEnd'>): NameMeaning {
    if (this.#stems.next(nameStart) >= nameEnd) return 'harmless';
    return this.#meaningOfName(this.#text.slice(Math.max(nameStart, nameEnd - longestName), nameEnd));
  }

  #meaningOfName(name: string): NameMeaning {
    const known = this.#meanings.get(name);
    if (known !== undefined) return known;
    if (this.#meanings.size === mostNamesRemembered) this.#meanings.clear();
    const meaning = readName(name);
    this.#meanings.set(name, meaning);
    return meaning;
  }

  /** In lower case; empty for names too long to be among those that are known. */
  #shortName({ nameStart, nameEnd }: Word): string {
    return nameEnd - nameStart > 16 ? '' : this.#text.slice(nameStart, nameEnd).toLowerCase();
  }
}

const tableHeader = /^\[{1,2}[ \t]*([\w."'-]+)[ \t]*\]{1,2}[ \t]*(?:#.*)?$/;

/** Options of Fluent Bit whose words are the names of fields and patterns: `exclude token ^x`. */
const takesPattern: ReadonlySet<string> = new Set([
  'copy',
  'exclude',
  'hard_copy',
  'hard_rename',
  'regex',
  'rename',
]);

/** `name: Authorization` before `value: …`, as environments of Kubernetes and headers of OpenTelemetry have it. */
const namesPair: ReadonlySet<string> = new Set(['name', 'key', 'header', 'header_name']);
const holdsPairValue: ReadonlySet<string> = new Set(['value', 'values', 'default', 'default_value']);

/** Between a flag and its value: blanks, a comma, a joined line, the bullet of the next item. */
const gapAfterFlag = /[ \t]*(?:\r?\n[ \t]*-[ \t]+|,[ \t]*(?:\r?\n[ \t]*(?:-[ \t]+)?)?|\\\r?\n[ \t]*)?/y;

/** What may stand before a key on its line: blanks, bullets, signs of comments, words of shells. */
const prefix =
  /[ \t\ufeff]*(?:(?:[#;*?]|\/\/|-(?=[ \t]))[ \t]*)*(?:(?:export|set|setx|env|arg|local)[ \t]+)?/iy;

function skipPrefix(text: string, start: number, end: number): number {
  prefix.lastIndex = start;
  prefix.test(text);
  return Math.min(prefix.lastIndex, end);
}

function placeOf(span: Span, word: Word, start: number): ValuePlace {
  return {
    start,
    limit: span.end,
    isLine: span.isLine,
    separator: ' ',
    keyIsFirst: false,
    keyStart: word.start,
    keyQuote: word.quote,
    blockColumn: undefined,
    isCommentedOut: span.isCommentedOut,
    closer: span.closers.at(-1),
  };
}

/** In `http://token:8080/`, the name of a host is no key. */
function isHostWithPort(text: string, word: Word): boolean {
  return text.startsWith('//', word.start) && /\d/.test(text.charAt(word.end + 1));
}

/**
 * The `:` or `=` after a key, behind what may stand between them, as in `config['key'] = ` and `key[0]=`;
 * undefined when none follows.
 */
function findSeparator(text: string, word: Word, limit: number): number | undefined {
  let position = word.quote === '' ? skipClosingQuote(text, word.end) : word.end;
  if (text[position] === ']') position += 1;
  if (text[position] === '[') position = skipIndex(text, position);
  position = skipSpaces(text, position, limit);
  if ((text[position] === '?' || text[position] === '+') && text[position + 1] === '=') position += 1;
  if (position >= limit) return undefined;
  return text[position] === ':' || text[position] === '=' ? position : undefined;
}

/** A quote around a bare word is one of a string that opened on another line, or further left. */
function skipClosingQuote(text: string, start: number): number {
  let position = start;
  while (text[position] === '\\') position += 1;
  return text[position] === '"' || text[position] === "'" ? position + 1 : start;
}

/** `[0]` or `[]` */
function skipIndex(text: string, start: number): number {
  const index = /\[\w{0,32}\]/y;
  index.lastIndex = start;
  return index.test(text) ? index.lastIndex : start;
}

/** Just after `:`, `=`, `:=`, `==`, `=>`, `=~`. */
function skipOperator(text: string, separator: number, limit: number): number {
  let position = separator + 1;
  while (position < limit && /[=>~]/.test(text.charAt(position))) position += 1;
  return position;
}

function endOfName(text: string, start: number, limit: number): number {
  let end = start;
  while (end < limit && isNameCode(text.charCodeAt(end))) end += 1;
  return end;
}

/** Letters, digits and `_ - . / @`. */
function isNameCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x2d && code <= 0x39) ||
    code === 0x5f ||
    code === 0x40
  );
}
