/** A pattern of literal parts with any characters between them. */
export interface TextPattern {
  readonly literals: readonly string[];
  /** The name of the part after each literal; undefined for `*`. */
  readonly names: readonly (string | undefined)[];
  /** The total length of the literals. A longer pattern is more specific. */
  readonly length: number;
  /** Words that every matching text contains as whole words. */
  readonly words: readonly string[];
}

/** Reads `part*part{name}part`. */
export function parsePattern(source: string): TextPattern {
  const literals: string[] = [];
  const names: (string | undefined)[] = [];
  let from = 0;
  for (const { 0: wildcard, 1: name, index } of source.matchAll(/\*|\{([a-z]+)\}/g)) {
    literals.push(source.slice(from, index));
    names.push(name);
    from = index + wildcard.length;
  }
  literals.push(source.slice(from));
  return {
    literals,
    names,
    length: literals.join('').length,
    words: literals.flatMap((literal) => literal.match(/(?<=\W)\w+(?=\W)/g) ?? []),
  };
}

/**
 * The texts that the names of the pattern match, if the pattern occurs in the text; otherwise undefined. A name at the end matches
 * the rest of its line. Each literal is searched once, from the end of the previous one, so the time is linear in the text.
 */
export function matchPattern(
  { literals, names }: TextPattern,
  text: string,
): Readonly<Record<string, string>> | undefined {
  const found: Record<string, string> = {};
  let end = 0;
  for (const [index, literal] of literals.entries()) {
    const at = text.indexOf(literal, end);
    if (at < 0) return undefined;
    const isLast = index === literals.length - 1;
    const name = names[index - 1];
    if (name !== undefined)
      found[name] = isLast && literal === '' ? restOfLine(text, end) : text.slice(end, at);
    end = at + literal.length;
  }
  return found;
}

function restOfLine(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  return text.slice(start, end < 0 ? text.length : end);
}
