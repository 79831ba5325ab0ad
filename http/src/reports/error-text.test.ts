import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { cutErrorText, redactErrorText, redactErrorTexts } from './error-text.ts';

const seed = 20_251;

/** Parts of secrets, and redaction markers. */
const pieces = fc.constantFrom(
  ...[
    '://a:b@c',
    '://',
    '@',
    ':',
    ' ',
    '\n',
    'a',
    'Basic ',
    'Bearer ',
    'a1b2c3d4',
    'AKIA',
    'ABCDEFGHIJKLMNOP',
    'ghp_',
  ],
  ...[
    'aaaaaaaaaaaaaaaaaaaa',
    'eyJ',
    '.',
    '/hooks/',
    '-----BEGIN A-----',
    '-----END A-----',
    '--redacted--',
    '…',
    '😀',
  ],
  'filler '.repeat(100),
);
const texts = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''));

describe('redactErrorText', () => {
  it('does not change its own results, even cut ones', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = redactErrorText(cutErrorText(text));
        expect([...once].length).toBeLessThanOrEqual(1024);
        expect(redactErrorText(once)).toBe(once);
        expect(redactErrorText(cutErrorText(once))).toBe(once);
      }),
      { seed, numRuns: rounds(20_000) },
    );
  });

  it('returns the same array if no text contains a secret', () => {
    const given = ['a', 'b'];
    expect(redactErrorTexts(given)).toBe(given);
    expect(redactErrorTexts(['a', '://a:b@c'])).toEqual(['a', '://a:--redacted--@c']);
  });
});

describe('cutErrorText', () => {
  it('reads the first 16,384 characters, up to the end of a word', () => {
    const pem = `-----BEGIN A-----\n${'a'.repeat(15_000)}\n-----END A-----\n`;
    const text = `${pem}${'word '.repeat(3_000)}`;
    const cut = cutErrorText(text);
    expect(cut.startsWith('--redacted--\nword word')).toBe(true);
    expect([...cut].length).toBe(1024);
    expect(cutErrorText(`${pem} ghp_${'a'.repeat(4_000_000)}`)).toBe('--redacted--\n…');
  });

  it('keeps short texts', () => {
    expect(cutErrorText('a://b:c@d')).toBe('a://b:c@d');
  });
});
