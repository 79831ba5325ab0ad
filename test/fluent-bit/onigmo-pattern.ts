/**
 * A pattern of Onigmo in the Ruby syntax, as Fluent Bit compiles it, for what both kinds of patterns mean alike. There
 * `^` and `$` match at every line of a text, so that the flag `m` of JavaScript is on; `.` matches no line end in both.
 * What they do not share is refused here.
 */
export function onigmoPattern(pattern: string): RegExp {
  const isForeign = /\(\?|\\[hHRXKGAzZpPkg]|\[\[:|[*+?}]\+|&&/.test(pattern);
  const isInSlashes = pattern.startsWith('/') && pattern.endsWith('/');
  if (isForeign || isInSlashes) throw new Error(`the model has no such pattern: ${pattern}`);
  return new RegExp(pattern, 'm');
}
