import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { foldError, foldVersion } from './fold-error.ts';
import { foldRules } from './fold-rules.ts';

/** A change of the rules changes stored patterns: raise `foldVersion` and add the new digest. */
const digests: Readonly<Record<number, string>> = {
  1: '1620fb0b9cbd788f',
  2: '7d4804cfe5d7f564',
};

/** A class, an escape or a character becomes `x`, so that only groups and quantifiers are left. */
function outline(pattern: string): string {
  return pattern.replaceAll(/\[(?:\\.|[^\]\\])*\]/g, 'x').replaceAll(/\\./g, 'x');
}

describe('the rules of the fold', () => {
  it('are the rules of this version', () => {
    const rules = foldRules.map(({ name, start, match, by }) => [name, start, match.source, by ?? null]);
    const digest = createHash('sha256').update(JSON.stringify(rules)).digest('hex').slice(0, 16);
    expect({ [foldVersion]: digest }).toEqual({ [foldVersion]: digests[foldVersion] });
  });

  it.each(foldRules.map((rule) => [rule.name, rule] as const))('%s: the example', (_name, { example }) => {
    expect(foldError(example.text)).toBe(example.pattern);
    expect(foldError(example.pattern)).toBe(example.pattern);
  });

  it('have unique names', () => {
    const names = foldRules.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it('do not match the empty text, capture groups or need flags, so that they can be joined', () => {
    const captures = /(?<!\\)\((?!\?)/;
    expect(
      foldRules.filter(({ match }) => match.flags !== '' || captures.test(outline(match.source))),
    ).toEqual([]);
    expect(foldRules.filter(({ match }) => new RegExp(`^(?:${match.source})$`).test(''))).toEqual([]);
  });

  it('have only bounded repetitions, so that each takes a bounded time', () => {
    expect(foldRules.filter(({ match }) => /[*+]|\{\d+,\}/.test(outline(match.source)))).toEqual([]);
  });
});
