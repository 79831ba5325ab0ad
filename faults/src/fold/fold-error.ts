import { foldOnce } from './fold-once.ts';

/** Changes with the rules: what was stored under an earlier version is folded anew. */
export const foldVersion = 1;

/** UTF-16 code units that a pattern has at most. */
export const maxPatternLength = 2_048;

/** Of a longer text the beginning is folded. */
const maxReadLength = 4_096;

/** Of a pattern that is too long this much is kept: folding it once more may make it somewhat longer. */
const keptLength = maxPatternLength - 512;

/** Each pass that is followed by another one folds something, so that few are needed. */
const maxPasses = 8;

/**
 * The pattern of an error: its text with placeholders for the parts that differ between repeats of one cause. It depends on the
 * text alone, and the pattern of a pattern is itself. Takes time linear in the length, whatever the text.
 */
export function foldError(text: string): string {
  const pattern = foldUntilStable(text.length <= maxReadLength ? text : cut(text, maxReadLength - 1));
  return pattern.length <= maxPatternLength ? pattern : foldUntilStable(cut(pattern, keptLength));
}

/** A part may stay because of the words before it, which are folded themselves: another pass finds it without them. */
function foldUntilStable(text: string): string {
  let { pattern, isStable } = foldOnce(text);
  for (let pass = 1; pass < maxPasses && !isStable; pass += 1) ({ pattern, isStable } = foldOnce(pattern));
  return pattern;
}

/** Ends behind a whole word, where there is one. */
function cut(text: string, length: number): string {
  const blank = text.lastIndexOf(' ', length);
  return `${text.slice(0, blank > length - 256 ? blank : length).toWellFormed()}…`;
}
