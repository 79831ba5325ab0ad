import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { errorPieces } from '../testing/error-pieces.ts';
import { foldError, foldErrorKnowing, maxPatternLength } from './fold-error.ts';

const seed = Number(process.env.MUSTER_TEST_SEED ?? '1');

const texts = fc
  .array(fc.constantFrom(...errorPieces), { maxLength: 14, size: 'max' })
  .map((pieces) => pieces.join(''));
const longTexts = fc
  .array(fc.constantFrom(...errorPieces), { minLength: 200, maxLength: 2_000, size: 'max' })
  .map((pieces) => pieces.join(''));

function expectPattern(text: string): void {
  const pattern = foldError(text);
  expect(foldError(pattern)).toBe(pattern);
  expect(pattern.length).toBeLessThanOrEqual(maxPatternLength);
}

describe('foldError, for any text', () => {
  it('makes a pattern that folds into itself and is not too long', () => {
    fc.assert(fc.property(texts, expectPattern), { seed, numRuns: rounds(20_000) });
  });

  it('makes the same pattern of a text when other patterns are known', () => {
    const known = new Set<string>();
    const makeSame = (text: string): void => {
      const pattern = foldError(text);
      expect(foldErrorKnowing(text, (folded) => known.has(folded))).toBe(pattern);
      known.add(pattern);
    };
    fc.assert(fc.property(texts, makeSame), { seed, numRuns: rounds(20_000) });
  });

  it('does so for texts of any length', () => {
    fc.assert(fc.property(longTexts, expectPattern), { seed, numRuns: rounds(200) });
    for (const piece of errorPieces.filter((one) => one !== ''))
      expectPattern(piece.repeat(3_000 / piece.length));
  });

  it('does so for any characters', () => {
    const any = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(fc.property(any, expectPattern), { seed, numRuns: rounds(5_000) });
  });

  it('never cuts through a character', () => {
    expect(foldError('😀'.repeat(5_000)).isWellFormed()).toBe(true);
    expect(foldError(`a${'😀'.repeat(5_000)}`).isWellFormed()).toBe(true);
  });
});

/** Counts how often a pattern is tried. Each try takes a bounded time: see fold-rules.test.ts. */
function countTries(text: string): number {
  const spies = (['exec', 'test'] as const).map((name) => vi.spyOn(RegExp.prototype, name));
  try {
    foldError(text);
    return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

describe('the work of foldError', () => {
  const maxTriesPerCharacter = 3;

  it.each([256, 1_024, 4_096])('is proportional to a length of %d, whatever is repeated', (length) => {
    const slow = errorPieces
      .filter((piece) => piece !== '')
      .flatMap((piece) => [piece, `${piece} `, `${piece}: code `])
      .filter((piece) => countTries(piece.repeat(length / piece.length)) > maxTriesPerCharacter * length);
    expect(slow).toEqual([]);
  });

  it('has a limit: only the beginning of a longer text is read', () => {
    expect(countTries('1 '.repeat(1_000_000))).toBe(countTries('1 '.repeat(3_000)));
  });
});
