import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutErrorText, redactErrorText, redactErrorTexts } from './error-text.ts';

const seed = 20_251;

/** What makes secrets, and what is made of them. */
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
  it('answers for what it has answered the same, also when it was cut', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = redactErrorText(cutErrorText(text));
        expect([...once].length).toBeLessThanOrEqual(1024);
        expect(redactErrorText(once)).toBe(once);
        expect(redactErrorText(cutErrorText(once))).toBe(once);
      }),
      { seed, numRuns: 20_000 },
    );
  });

  it('answers the very texts where none of them holds a secret', () => {
    const given = ['a', 'b'];
    expect(redactErrorTexts(given)).toBe(given);
    expect(redactErrorTexts(['a', '://a:b@c'])).toEqual(['a', '://a:--redacted--@c']);
  });
});

describe('cutErrorText', () => {
  it('looks at the first 16,384 characters, up to a whole word', () => {
    const pem = `-----BEGIN A-----\n${'a'.repeat(15_000)}\n-----END A-----\n`;
    const text = `${pem}${'word '.repeat(3_000)}`;
    const cut = cutErrorText(text);
    expect(cut.startsWith('--redacted--\nword word')).toBe(true);
    expect([...cut].length).toBe(1024);
    expect(cutErrorText(`${pem} ghp_${'a'.repeat(4_000_000)}`)).toBe('--redacted--\n…');
  });

  it('leaves short texts to be', () => {
    expect(cutErrorText('a://b:c@d')).toBe('a://b:c@d');
  });
});
