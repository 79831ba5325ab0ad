import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTokens, type LeakKind, leakKinds, leakPattern, maxTokenLength } from './find-tokens.ts';
import { formatInvitationCode, formatProjectToken, formatSignInSecret, formatToken } from './token-format.ts';

const random = fc.uint8Array({ minLength: 32, maxLength: 32 });
const payload = fc.record({ projectID: fc.uuid(), tokenID: fc.uuid() });

function make(kind: LeakKind, bytes: Uint8Array, ids: { projectID: string; tokenID: string }): string {
  if (kind === 'project') return formatProjectToken(ids, bytes);
  if (kind === 'invitation') return formatInvitationCode(bytes);
  return kind === 'session' || kind === 'signInLink'
    ? formatSignInSecret(kind, bytes)
    : formatToken(kind, bytes);
}

const token = fc
  .tuple(fc.constantFrom(...leakKinds), random, payload)
  .map(([kind, bytes, ids]) => ({ kind, value: make(kind, bytes, ids) }));

/** Texts around tokens, made of parts of tokens too. */
const noise = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.constantFrom('mst_', 'mst_p_', 'mst_u_', 'mst_u_mst_u_', '.', '"', '\n', '\u0000', ' '),
      fc.stringMatching(/^[0-9A-Za-z]{45,60}$/),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(''));

/** What is no longer a credential: changed, cut off, or with other payload. */
const nearMiss = fc
  .tuple(token, fc.nat(), fc.constantFrom('change', 'cut', 'swap'))
  .map(([{ value }, at, how]) => {
    const index = value.length - 49 + (at % 49);
    const other = value.charAt(index) === 'x' ? 'y' : 'x';
    if (how === 'cut') return `${value.slice(0, index)} ${value.slice(index)}`;
    if (how === 'change') return value.slice(0, index) + other + value.slice(index + 1);
    return value.replace('mst_', 'mts_');
  });

describe('findTokens', () => {
  it('finds every credential in a text, where it is, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(noise, token), { maxLength: 4 }), noise, (parts, end) => {
        const expected: { kind: LeakKind; value: string; index: number }[] = [];
        let text = '';
        for (const [before, { kind, value }] of parts) {
          // A letter before it could be a part of an earlier near miss, never of the token.
          text += `${before} `;
          expected.push({ kind, value, index: text.length });
          text += `${value} `;
        }
        const found = [...findTokens(text + end)].map(({ kind, value, index }) => ({ kind, value, index }));
        expect(found).toEqual(expected);
      }),
      { seed: 1 },
    );
  });

  it('finds nothing whose checksum is wrong', () => {
    fc.assert(
      fc.property(noise, nearMiss, noise, (before, value, after) => {
        expect([...findTokens(`${before} ${value} ${after}`)]).toEqual([]);
      }),
      { seed: 2 },
    );
  });

  it('reads the ids that a project token carries', () => {
    const ids = {
      projectID: '0192f0a0-0000-7000-8000-000000000001',
      tokenID: '0192f0a0-0000-7000-8000-000000000002',
    };
    const value = formatProjectToken(ids, new Uint8Array(32));
    expect([...findTokens(`url=${value}&x=1`)]).toEqual([{ kind: 'project', value, index: 4, payload: ids }]);
  });
});

describe('the published pattern', () => {
  it('matches every credential as a whole, and none is longer than the maximum', () => {
    fc.assert(
      fc.property(token, ({ value }) => {
        expect(new RegExp(`^${leakPattern}$`).test(value)).toBe(true);
        expect(value.length).toBeLessThanOrEqual(maxTokenLength);
      }),
      { seed: 3 },
    );
  });
});
