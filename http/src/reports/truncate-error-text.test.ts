import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { truncateErrorText } from './truncate-error-text.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1015, maxLength: 1035 }),
  fc.string({ unit: 'grapheme', minLength: 505, maxLength: 1030 }),
  fc.string({ unit: fc.constantFrom('a', '😀', '\u0301'), minLength: 1015, maxLength: 1035 }),
);

describe('truncateErrorText', () => {
  it('keeps a text of up to 1024 code points, and cuts any longer text to its first 1023 and an ellipsis', () => {
    fc.assert(
      fc.property(text, (given) => {
        const codePoints = [...given];
        const expected = codePoints.length <= 1024 ? given : `${codePoints.slice(0, 1023).join('')}…`;
        expect(truncateErrorText(given)).toBe(expected);
      }),
    );
  });

  it('does not change a text that was already cut', () => {
    fc.assert(
      fc.property(text, (given) => {
        const once = truncateErrorText(given);
        expect(truncateErrorText(once)).toBe(once);
      }),
    );
  });
});
