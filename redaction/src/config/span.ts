import type { StringReader } from './closing-delimiter.ts';
import type { ValuePlace } from './read-value.ts';

export interface SpanStart {
  readonly isLine: boolean;
  /** Before the next word: 0 none; 1 one, as in `header key value`; 2 two; 3 more, or what no value may follow after a blank. */
  wordsBefore: number;
}

/** A stretch that is read as one: a line (after a value of many lines, up to the end of its last) or a string. */
export interface Span extends SpanStart {
  readonly lineStart: number;
  /** Where its first word may stand: after indentation, bullets and the like. */
  readonly firstWord: number;
  readonly isCommentedOut: boolean;
  end: number;
  /** The word before the next one. */
  carrier: Word | undefined;
  /** Nothing but words so far: what a YAML key may consist of. */
  onlyWords: boolean;
  readonly closers: number[];
  readonly strings: StringReader;
}

/** A word or a quoted string, which may be a key. */
export interface Word {
  readonly start: number;
  readonly end: number;
  /** Without its quotes. */
  readonly nameStart: number;
  readonly nameEnd: number;
  /** How it opens: `"`, `\"`, `'`, or nothing. */
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
