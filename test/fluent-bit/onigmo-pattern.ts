/**
 * A pattern of Onigmo in the Ruby syntax, as Fluent Bit compiles it, for what both kinds of patterns mean alike. There
 * `^` and `$` match at every line of a text, so that the flag `m` of JavaScript is on; `.` matches no line end in both.
 * What they do not share is refused here.
 */
export function onigmoPattern(pattern: string): RegExp {
  const isForeign = /\(\?(?![:!])|\\[hHRXKGAzZpPkg]|\[\[:|[*+?}]\+|&&/.test(pattern);
  const isInSlashes = pattern.startsWith('/') && pattern.endsWith('/');
  if (isForeign || isInSlashes) throw new Error(`the model has no such pattern: ${pattern}`);
  return new RegExp(pattern, 'm');
}

/**
 * Whether `match_regex` of an output or a filter takes a tag. Fluent Bit matches from the first character, and a match without any
 * character does not count.
 */
export function takesTag(pattern: string, tag: string): boolean {
  const match = new RegExp(onigmoPattern(pattern), 'my').exec(tag);
  return match !== null && match[0].length > 0;
}
