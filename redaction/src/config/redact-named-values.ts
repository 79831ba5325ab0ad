import { isSecretValue, lineBreaksIn, marker } from '../secrets/marker.ts';
import { maxNameLength, type NameMeaning, readName } from '../secrets/secret-name.ts';
import { closerOf, type QuotedString, readOpeningQuote, StringReader } from './closing-delimiter.ts';
import { ComplexKeys } from './complex-key.ts';
import {
  endOfName,
  findSeparator,
  isHostWithPort,
  isNameCode,
  skipPrefix,
  startOfFlagValue,
  startOfValue,
} from './key-syntax.ts';
import { endOfLine, isSpace, skipSpaces, startOfLine } from './lines.ts';
import { opensMap, readValue, type ValuePlace } from './read-value.ts';
import { countWord, placeOf, type Span, type SpanStart, type Word } from './span.ts';
import { StemFinder } from './stem-finder.ts';
import { unescapeString } from './unescape-string.ts';

/**
 * Replaces the values of keys that name a secret. It does not detect the format: it tries every syntax for a key and its
 * value on each line, because configurations contain each other (a command line in YAML, JSON in TOML). If the
 * syntaxes disagree, the longer value is replaced. Each character is read a bounded number of times.
 *
 * @returns undefined if the text would grow by more than `maxGrowth` characters, or has more than `maxNames` names that may mean a secret
 */
export function redactNamedValues(text: string, maxGrowth: number): string | undefined {
  const finder = new SecretFinder(text, { maxGrowth, names: 0 });
  const replacements = finder.find();
  if (finder.givesUp) return undefined;
  const pieces: string[] = [];
  let copied = 0;
  for (const { start, end, by } of replacements) {
    pieces.push(text.slice(copied, start), by);
    copied = end;
  }
  return pieces.join('') + text.slice(copied);
}

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

const maxRememberedNames = 1000;

/** No configuration has so many, so that the time for one that was made to be slow is bounded. */
const maxNames = 16_384;

/** What a text and the configurations in its strings share. */
interface Effort {
  readonly maxGrowth: number;
  /** The number of names that were read because they may mean a secret. */
  names: number;
}

class SecretFinder {
  readonly #text: string;
  readonly #stems: StemFinder;
  readonly #meanings = new Map<string, NameMeaning>();
  readonly #replacements: Replacement[] = [];
  readonly #effort: Effort;
  #growth = 0;
  /** Within a TOML table such as `[credentials]`. */
  #inSecretTable = false;
  /** After `name: Authorization`, which makes the next `value: …` a secret. */
  #inSecretPair = false;
  readonly #complexKeys = new ComplexKeys();

  constructor(text: string, effort: Effort) {
    this.#text = text;
    this.#effort = effort;
    this.#stems = new StemFinder(text);
  }

  /** True if the text would grow too much, or has too many names. */
  get givesUp(): boolean {
    return this.#growth > this.#effort.maxGrowth || this.#effort.names > maxNames;
  }

  /** @returns the replacements, from left to right; incomplete if it gives up */
  find(): readonly Replacement[] {
    let position = 0;
    while (position < this.#text.length && !this.givesUp) {
      if (!this.#inSecretPair && !this.#inSecretTable && !this.#complexKeys.isOpen) {
        const stem = this.#stems.next(position);
        if (stem === this.#text.length) break;
        position = startOfLine(this.#text, position, stem);
      }
      const end = endOfLine(this.#text, position);
      this.#readTableHeader(position, end);
      position = this.#readSpan(position, end, { isLine: true, wordsBefore: 0 }) + 1;
    }
    return this.#replacements;
  }

  #readTableHeader(start: number, end: number): void {
    const first = skipSpaces(this.#text, start, end);
    if (this.#text[first] !== '[' || end - first > maxNameLength) return;
    const name = tableHeader.exec(this.#text.slice(first, end))?.[1];
    if (name !== undefined) this.#inSecretTable = this.#meaningOfName(name) === 'secret';
  }

  /** @returns the end of the span, which is later than given if a value continued on further lines */
  #readSpan(start: number, end: number, { isLine, wordsBefore }: SpanStart): number {
    const text = this.#text;
    const firstWord = skipPrefix(text, start, end);
    const span: Span = {
      isLine,
      lineStart: start,
      firstWord,
      isCommentedOut: firstWord > start && text.slice(start, firstWord).includes('#'),
      end,
      wordsBefore,
      carrier: undefined,
      onlyWords: true,
      closers: [],
      strings: new StringReader(),
    };
    let position = isLine ? this.#readComplexKey(span) : firstWord;
    while (position < span.end && !this.givesUp) {
      const code = text.charCodeAt(position);
      if (isNameCode(code)) position = this.#readWord(span, position);
      else if (isSpace(code)) position += 1;
      else position = this.#readPunctuation(span, position);
    }
    return Math.max(position, span.end);
  }

  /** @returns where reading continues: behind the value of a complex key, if the line has one */
  #readComplexKey(span: Span): number {
    const { lineStart: start, firstWord, end } = span;
    const value = this.#complexKeys.read(this.#text, { start, firstWord, end }, (from, to) =>
      this.#hasSecretName(from, to),
    );
    if (value === undefined) return firstWord;
    const { separator, column } = value;
    const key: Word = {
      start: separator,
      end: separator,
      nameStart: separator,
      nameEnd: separator,
      quote: '',
    };
    const place = placeOf(span, key, skipSpaces(this.#text, separator + 1, end));
    return this.#redactValue(span, { ...place, separator: ':', keyIsFirst: true, blockColumn: column });
  }

  #hasSecretName(start: number, end: number): boolean {
    let position = start;
    while (position < end) {
      const nameEnd = endOfName(this.#text, position, end);
      if (nameEnd > position && this.#meaningOf({ nameStart: position, nameEnd }) !== 'harmless') return true;
      position = nameEnd + 1;
    }
    return false;
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
    span.wordsBefore = 3;
    return position + 1;
  }

  /** A string may be a word or a key of any form, or contain keys and values itself. */
  #readString(span: Span, start: number, { contentStart, contentEnd, end }: QuotedString): number {
    const quote = this.#text.slice(start, contentStart);
    const word = { start, end, nameStart: contentStart, nameEnd: contentEnd, quote };
    if (endOfName(this.#text, contentStart, contentEnd) === contentEnd) {
      return this.#readAfterWord(span, word) ?? end;
    }
    const separator = findSeparator(this.#text, end, true, span.end);
    if (this.#stems.next(contentStart) < contentEnd) {
      this.#readContent(contentStart, contentEnd, separator !== undefined);
    }
    if (separator !== undefined) return this.#readKeyed(span, word, separator);
    countWord(span, word);
    return end;
  }

  /** A string with escapes is read unescaped, because it may be a configuration of its own, as in JSON. */
  #readContent(start: number, end: number, isKey: boolean): void {
    if (isKey || this.#text[start - 1] !== '"' || !this.#text.slice(start, end).includes('\\')) {
      this.#readSpan(start, end, { isLine: false, wordsBefore: isKey ? 3 : 0 });
      return;
    }
    const { text, offsets } = unescapeString(this.#text, start, end);
    for (const found of new SecretFinder(text, this.#effort).find()) {
      const by = JSON.stringify(found.by).slice(1, -1);
      this.#replace({ start: offsets[found.start] ?? end, end: offsets[found.end] ?? end, by });
    }
  }

  /** @returns where reading continues; undefined if the word is not a key */
  #readAfterWord(span: Span, word: Word): number | undefined {
    const separator = findSeparator(this.#text, word.end, word.quote !== '', span.end);
    if (separator !== undefined) return this.#readKeyed(span, word, separator);
    const { wordsBefore, carrier } = span;
    countWord(span, word);
    if (this.#meaningOf(word) === 'harmless') return undefined;
    if (this.#text[word.nameStart] === '-') return this.#readFlag(span, word);
    if (wordsBefore >= 2 && !(wordsBefore === 2 && this.#isKeyOfTwoWords(carrier, word))) return undefined;
    if (carrier !== undefined && takesPattern.has(this.#shortName(carrier))) return undefined;
    const value = skipSpaces(this.#text, word.end, span.end);
    if (value === word.end || value === span.end) return undefined;
    return this.#redactValue(span, { ...placeOf(span, word, value), separator: ' ' });
  }

  /** `key: value` and `key = value`, with any text between the two. */
  #readKeyed(span: Span, word: Word, separator: number): number {
    const text = this.#text;
    const kind = text[separator] === ':' ? ':' : '=';
    const value = startOfValue(text, separator, span.end);
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
    if (meaning === 'secret-scalar' && (value === span.end || opensMap(text, value))) return value;
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
    return isHostWithPort(this.#text, word.start, word.end) ? 'harmless' : meaning;
  }

  #startsWithSecretName(start: number, limit: number): boolean {
    const nameStart = readOpeningQuote(this.#text, start, limit)?.contentStart ?? start;
    return this.#meaningOf({ nameStart, nameEnd: endOfName(this.#text, nameStart, limit) }) !== 'harmless';
  }

  /** `--key value`, in a command line or as two items of a list. */
  #readFlag(span: Span, word: Word): number | undefined {
    const start = startOfFlagValue(this.#text, word.end);
    const isOnLaterLine = start > span.end;
    if (start === word.end || start === span.end || (isOnLaterLine && !span.isLine)) return undefined;
    const isItem = isOnLaterLine && !this.#text.slice(word.end, start).includes('\\');
    if (isOnLaterLine) span.end = endOfLine(this.#text, start);
    return this.#redactValue(span, { ...placeOf(span, word, start), separator: 'flag', keyIsFirst: isItem });
  }

  #redactValue(span: Span, place: ValuePlace): number {
    const { start, end, before, after, next } = readValue(this.#text, place);
    if (isSecretValue(this.#text.slice(start, end))) {
      const lineBreaks = lineBreaksIn(this.#text, start, end);
      // After the following comma of a list, so that it stays on the line of its item.
      const comma = lineBreaks !== '' && this.#text[end] === ',' ? ',' : '';
      this.#replace({
        start,
        end: end + comma.length,
        by: `${before}${marker}${after}${comma}${lineBreaks}`,
      });
    }
    if (next > span.end) span.end = endOfLine(this.#text, next);
    span.wordsBefore = 3;
    span.onlyWords = false;
    return next;
  }

  #replace(replacement: Replacement): void {
    const { start, end, by } = replacement;
    this.#replacements.push(replacement);
    this.#growth += Math.max(0, by.length - (end - start));
  }

  #meaningOf({ nameStart, nameEnd }: Pick<Word, 'nameStart' | 'nameEnd'>): NameMeaning {
    if (this.#stems.next(nameStart) >= nameEnd) return 'harmless';
    this.#effort.names += 1;
    const name = this.#text.slice(Math.max(nameStart, nameEnd - maxNameLength), nameEnd);
    return this.#meaningOfName(name.includes('\\') ? unescapeString(name, 0, name.length).text : name);
  }

  #meaningOfName(name: string): NameMeaning {
    const known = this.#meanings.get(name);
    if (known !== undefined) return known;
    if (this.#meanings.size === maxRememberedNames) this.#meanings.clear();
    const meaning = readName(name);
    this.#meanings.set(name, meaning);
    return meaning;
  }

  /** `header API KEY value` */
  #isKeyOfTwoWords(first: Word | undefined, second: Word): boolean {
    return (
      first !== undefined &&
      /^(?:api|app|access|auth|license|private|secret|shared)$/.test(this.#shortName(first)) &&
      /^keys?$/.test(this.#shortName(second))
    );
  }

  /** The name in lower case; empty if it is too long to be a known one. */
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
