import { foldOnce } from './fold-once.ts';

/** Changes with the rules. Patterns that were stored under an earlier version are folded again. */
export const foldVersion = 2;

/** Maximum length of a pattern, in UTF-16 code units. */
export const maxPatternLength = 2_048;

/** Only this much of a longer text is folded. */
const maxReadLength = 4_096;

/** This much of a pattern that is too long is kept, because folding it again may make it longer. */
const keptLength = maxPatternLength - 512;

/** A few passes are enough, because another pass follows only if one folded something. */
const maxPasses = 8;

/**
 * The pattern of an error: its text with placeholders for the parts that differ between repeats of one cause. It depends only on
 * the text, and the pattern of a pattern is itself. The time is linear in the length for any text.
 */
export function foldError(text: string): string {
  return foldErrorKnowing(text, () => false);
}

/** The same, for a caller that remembers patterns: a text that is one is not folded again only to see that nothing changes. */
export function foldErrorKnowing(text: string, isPattern: (text: string) => boolean): string {
  const read = text.length <= maxReadLength ? text : cut(text, maxReadLength - 1);
  const pattern = foldUntilStable(read, isPattern);
  return pattern.length <= maxPatternLength ? pattern : foldUntilStable(cut(pattern, keptLength), isPattern);
}

/** A part may stay because of the words before it. If these are folded, another pass folds the part too. */
function foldUntilStable(text: string, isPattern: (text: string) => boolean): string {
  let { pattern, isStable } = foldOnce(text);
  for (let pass = 1; pass < maxPasses && !isStable && !isPattern(pattern); pass += 1) {
    ({ pattern, isStable } = foldOnce(pattern));
  }
  return pattern;
}

/** Cuts after a complete word, if there is one. */
function cut(text: string, length: number): string {
  const blank = text.lastIndexOf(' ', length);
  return `${text.slice(0, blank > length - 256 ? blank : length).toWellFormed()}…`;
}
