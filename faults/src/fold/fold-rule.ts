/** The kind of character with which a match begins. */
export type FoldStart =
  /** A digit that does not continue a word. */
  | 'digit'
  /** A letter that begins a word; tried on words that contain a digit or are followed by `:`, ` ` or `-` like an id or a date. */
  | 'letter'
  /** A quotation mark that opens: it does not follow a word. */
  | 'quote'
  /** A slash that begins a path. */
  | 'slash'
  /** `<`: a placeholder that `muster report` or an earlier fold has written. */
  | 'placeholder'
  /** A colon that does not follow a word, as in `::1`. */
  | 'colon';

/**
 * A part of error texts that differs between repeats of one cause, or (without `by`) one that looks like it and stays.
 * Rules with the same start are tried in their order, and the first match wins.
 */
export interface FoldRule {
  readonly name: string;
  readonly start: FoldStart;
  /**
   * Matched where the part begins. Without capturing groups. Every repetition has a bound, so that the work per character does;
   * it ends where a word ends, so that what follows is read the same in the text and in its pattern.
   */
  readonly match: RegExp;
  /** The placeholder. Undefined: the part stays. */
  readonly by?: string;
  readonly example: { readonly text: string; readonly pattern: string };
}
