import type { StringReader } from './closing-delimiter.ts';
import type { ValuePlace } from './read-value.ts';

export interface SpanStart {
  readonly isLine: boolean;
  /** The number of words before the next one: 0; 1, as in `header key value`; 2; 3: more, or text that no value may follow after a blank. */
  wordsBefore: number;
}

/** A range that is read as a unit: a string, or a line (extended to the last line of a multi-line value). */
export interface Span extends SpanStart {
  readonly lineStart: number;
  /** Where its first word may begin: after indentation, bullets and comment signs. */
  readonly firstWord: number;
  readonly isCommentedOut: boolean;
  end: number;
  /** The word before the next one. */
  carrier: Word | undefined;
  /** True while there are only words, of which a YAML key may consist. */
  onlyWords: boolean;
  readonly closers: number[];
  readonly strings: StringReader;
}

/** A word or a quoted string, which may be a key. */
export interface Word {
  readonly start: number;
  readonly end: number;
  /** The text without its quotes. */
  readonly nameStart: number;
  readonly nameEnd: number;
  /** The opening quote: `"`, `\"`, `'`, or empty. */
  readonly quote: string;
}

export function countWord(span: Span, word: Word): void {
  span.wordsBefore = Math.min(span.wordsBefore + 1, 3);
  span.carrier = word;
}

export function placeOf(span: Span, word: Word, start: number): ValuePlace {
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
