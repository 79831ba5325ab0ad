import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../test/rounds.ts';
import {
  type CredentialKind,
  credentialKinds,
  formatProjectToken,
  formatToken,
  isMaskedToken,
  isWellFormedToken,
  maskToken,
  readProjectToken,
  tokenPatterns,
  tokenPrefixes,
} from './token-format.ts';

const random = fc.uint8Array({ minLength: 32, maxLength: 32 });
const payload = fc.record({ projectID: fc.uuid(), tokenID: fc.uuid() });
const kind = fc.constantFrom(...credentialKinds);

/** A token of each kind from the same random bytes. */
const anyToken = fc
  .tuple(kind, random, payload)
  .map(([one, bytes, ids]): [CredentialKind, string] => [
    one,
    one === 'project' ? formatProjectToken(ids, bytes) : formatToken(one, bytes),
  ]);

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const projectID = '0192f0a0-0000-7000-8000-000000000001';
const tokenID = '0192f0a0-0000-7000-8000-000000000002';

describe('the shape of a token', () => {
  it('is the prefix of its kind, 43 characters of secret and 6 of checksum', () => {
    fc.assert(
      fc.property(random, payload, (bytes, ids) => {
        expect(formatToken('access', bytes)).toMatch(/^mst_u_[0-9A-Za-z]{49}$/);
        expect(formatToken('agent', bytes)).toMatch(/^mst_a_[0-9A-Za-z]{49}$/);
        expect(formatProjectToken(ids, bytes)).toMatch(/^[0-9A-Za-z]{135}\.mst_p_[0-9A-Za-z]{49}$/);
      }),
    );
  });

  it('never changes, because issued tokens must stay valid', () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, index) => index);
    expect(formatToken('access', bytes)).toBe('mst_u_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf3WDN9G');
    expect(formatToken('agent', bytes)).toBe('mst_a_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf0TldZ1');
    expect(formatProjectToken({ projectID, tokenID }, bytes)).toBe(
      'eyJQcm9qZWN0SUQiOiIwMTkyZjBhMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDEiLCJUb2tlbklEIjoiMDE5MmYwYTAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMDAyIn0.mst_p_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf4KXzQr',
    );
  });

  it('holds all 256 bits', () => {
    fc.assert(
      fc.property(random, (bytes) => {
        const secret = formatToken('access', bytes).slice(6, 49);
        const value = [...secret].reduce((sum, digit) => sum * 62n + BigInt(base62.indexOf(digit)), 0n);
        expect(value).toBe(BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
      }),
    );
    expect(formatToken('access', new Uint8Array(32)).slice(6, 49)).toBe('0'.repeat(43));
    expect(62n ** 43n).toBeGreaterThan(2n ** 256n);
  });

  it('ends with the CRC-32 of everything before it', () => {
    fc.assert(
      fc.property(anyToken, ([, token]) => {
        const digits = [...token.slice(-6)].reduce((sum, digit) => sum * 62 + base62.indexOf(digit), 0);
        expect(digits).toBe(crc32(token.slice(0, -6)));
      }),
    );
  });

  it.each([0, 16, 31, 33])('requires 32 random bytes, not %i', (size) => {
    expect(() => formatToken('access', new Uint8Array(size))).toThrow('a token takes 32 random bytes');
  });
});

describe('the payload of a project token', () => {
  it('is JSON with ProjectID before TokenID, which plain base64 reads after padding', () => {
    fc.assert(
      fc.property(payload, random, (ids, bytes) => {
        const [text = ''] = formatProjectToken(ids, bytes).split('.');
        const json = `{"ProjectID":"${ids.projectID}","TokenID":"${ids.tokenID}"}`;
        expect(text).toHaveLength(135);
        expect(text).toMatch(/^[0-9A-Za-z]+$/);
        expect(Buffer.from(text.padEnd(136, '='), 'base64').toString()).toBe(json);
        expect(Buffer.byteLength(json)).toBe(101);
      }),
    );
  });

  it('needs padding: agents that always pad fail on a length that needs none', () => {
    expect(101 % 3).not.toBe(0);
    expect(135 % 4).not.toBe(0);
  });

  it('is read back', () => {
    fc.assert(
      fc.property(payload, random, (ids, bytes) => {
        expect(readProjectToken(formatProjectToken(ids, bytes))).toEqual(ids);
      }),
    );
  });

  it('is not read from tokens of another kind, or from any other text', () => {
    expect(readProjectToken(formatToken('access', new Uint8Array(32)))).toBeUndefined();
    fc.assert(fc.property(fc.string(), (text) => readProjectToken(text) === undefined));
  });

  it.each([
    ['ids that are no UUIDs', { projectID: 'x'.repeat(36), tokenID }],
    ['NUL', { projectID: `\0${projectID.slice(6)}`, tokenID }],
    ['upper case', { projectID: projectID.replaceAll('0', 'A'), tokenID }],
    ['a quote that ends the id', { projectID: `${projectID.slice(2)}"`, tokenID }],
  ])('is not read from a forged token with %s and a valid checksum', (_, ids) => {
    const forged = formatProjectToken(ids, new Uint8Array(32));
    expect(isWellFormedToken('project', forged)).toBe(true);
    expect(readProjectToken(forged)).toBeUndefined();
  });
});

describe('isWellFormedToken', () => {
  it('is true for what was made, and only as its own kind', () => {
    fc.assert(
      fc.property(anyToken, ([own, token]) => {
        expect(credentialKinds.filter((one) => isWellFormedToken(one, token))).toEqual([own]);
      }),
    );
  });

  it('catches every change of a single character', () => {
    const replacement = fc.constantFrom(...base62, '_', '-', '.', ' ', 'é', '\n');
    fc.assert(
      fc.property(anyToken, fc.nat(), replacement, ([own, token], place, other) => {
        const at = place % token.length;
        fc.pre(token[at] !== other);
        expect(isWellFormedToken(own, token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
      }),
      { numRuns: rounds(5000) },
    );
  });

  it('catches two neighbours that changed places', () => {
    fc.assert(
      fc.property(anyToken, fc.nat(), ([own, token], place) => {
        const at = place % (token.length - 1);
        const [one = '', next = ''] = token.slice(at, at + 2);
        fc.pre(one !== next);
        expect(isWellFormedToken(own, token.slice(0, at) + next + one + token.slice(at + 2))).toBe(false);
      }),
    );
  });

  it.each([
    ['cut off', (token: string) => token.slice(0, -1)],
    ['with a line break', (token: string) => `${token}\n`],
    ['with a space before it', (token: string) => ` ${token}`],
    ['twice', (token: string) => token + token],
    ['empty', () => ''],
  ])('refuses a token %s', (_, change) => {
    expect(isWellFormedToken('access', change(formatToken('access', new Uint8Array(32))))).toBe(false);
  });
});

describe('the published patterns', () => {
  it('find each kind in any surroundings', () => {
    fc.assert(
      fc.property(anyToken, fc.constantFrom('"', "'", ' ', '=', '\n', ': '), ([own, token], around) => {
        const found = `secret${around}${token}${around}`.match(new RegExp(tokenPatterns[own]));
        expect(found?.[0]).toBe(token);
      }),
    );
  });

  it('find no masked token', () => {
    const masked = credentialKinds.map((one) => maskToken(one, 'wXyZ'));
    const patterns = Object.values(tokenPatterns).map((pattern) => new RegExp(pattern));
    expect(masked.filter((text) => patterns.some((pattern) => pattern.test(text)))).toEqual([]);
  });
});

describe('a masked token', () => {
  it('is the prefix of its kind and the last four characters', () => {
    expect(maskToken('project', 'wXyZ')).toBe('mst_p_…wXyZ');
    expect(maskToken('access', 'wXyZ')).toBe('mst_u_…wXyZ');
    expect(maskToken('agent', 'wXyZ')).toBe('mst_a_…wXyZ');
  });

  it('is known again as it stands, with three dots, and as Node reads a header that carries it', () => {
    for (const one of credentialKinds) {
      const masked = maskToken(one, 'wXyZ');
      const asSent = (bytes: Buffer) => bytes.toString('latin1');
      expect(isMaskedToken(masked)).toBe(true);
      expect(isMaskedToken(masked.replace('…', '...'))).toBe(true);
      expect(isMaskedToken(asSent(Buffer.from(masked, 'utf8')))).toBe(true);
      expect(isMaskedToken(asSent(Buffer.from(masked.replace('…', '\x85'), 'latin1')))).toBe(true);
    }
  });

  it('is no token, and no token is taken for a masked one', () => {
    for (const one of credentialKinds) expect(isWellFormedToken(one, maskToken(one, 'wXyZ'))).toBe(false);
    fc.assert(fc.property(anyToken, ([, token]) => !isMaskedToken(token)));
    expect(['', 'mst_p_', '…', 'mst_x_…wXyZ'].filter(isMaskedToken)).toEqual([]);
  });

  it('has the prefixes that the patterns have', () => {
    expect(tokenPrefixes).toEqual({
      access: 'mst_u_',
      project: 'mst_p_',
      agent: 'mst_a_',
      core_instance: 'mst_c_',
    });
  });
});
