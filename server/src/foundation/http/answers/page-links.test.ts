import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../refusal.ts';
import { encodeCursor, nextPageLink, readPage } from './page-links.ts';

const id = '0192f0a0-0000-7000-8000-000000000000';
const otherID = '0192f0a0-0000-7000-8000-000000000001';
const list = 'tokens of x';

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
  return 'taken';
}

describe('readPage', () => {
  it('takes 100 for a size that is absent or 0', () => {
    expect(readPage(list, {})).toEqual({ limit: 100, before: undefined });
    expect(readPage(list, { last: 0 })).toEqual({ limit: 100, before: undefined });
    expect(readPage(list, { last: 7 })).toEqual({ limit: 7, before: undefined });
  });

  it('reads any id back out of its cursor', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string(), (anyID, anyList) => {
        const before = encodeCursor(anyList, anyID);
        expect(before).toMatch(/^[\w-]{31}$/);
        expect(readPage(anyList, { before })).toEqual({ limit: 100, before: anyID });
      }),
    );
  });

  it('refuses a cursor of any other list', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string(), fc.string(), (anyID, one, other) => {
        fc.pre(one !== other);
        const before = encodeCursor(one, anyID);
        expect(codeOf(() => readPage(other, { before }))).toBe('invalid_cursor');
      }),
    );
  });

  it('refuses a cursor in which any bit is turned', () => {
    const bytes = Buffer.from(encodeCursor(list, id), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const turned = Buffer.from(bytes);
      turned.writeUInt8(turned.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(codeOf(() => readPage(list, { before: turned.toString('base64url') }))).toBe('invalid_cursor');
    }
  });

  it('refuses the parts of two cursors put together', () => {
    const one = Buffer.from(encodeCursor(list, id), 'base64url');
    const other = Buffer.from(encodeCursor(list, otherID), 'base64url');
    const mixed = Buffer.concat([one.subarray(0, 17), other.subarray(17)]).toString('base64url');
    expect(codeOf(() => readPage(list, { before: mixed }))).toBe('invalid_cursor');
  });

  it('refuses any other text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string({ unit: 'binary' }),
          fc.base64String(),
          fc.constant(randomBytes(23).toString('base64url')),
        ),
        (before) => {
          expect(codeOf(() => readPage(list, { before }))).toBe('invalid_cursor');
        },
      ),
    );
  });
});

describe('nextPageLink', () => {
  const page = { rows: [{ id: otherID }, { id }], hasNext: true };
  const before = encodeCursor(list, id);

  it('names the last row of the page', () => {
    expect(nextPageLink(list, '/v1/things', page)).toBe(`</v1/things?before=${before}>; rel="next"`);
  });

  it('keeps every other parameter and replaces the cursor', () => {
    expect(nextPageLink(list, '/v1/things?last=2&before=OLD&name=a%20b*%26&status=all', page)).toBe(
      `</v1/things?last=2&before=${before}&name=a+b*%26&status=all>; rel="next"`,
    );
  });

  it('keeps a filter that holds a question mark', () => {
    expect(nextPageLink(list, '/v1/things?name=a?b', page)).toBe(
      `</v1/things?name=a%3Fb&before=${before}>; rel="next"`,
    );
  });

  it('can never be ended early by what a filter holds', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        fc.pre(name.isWellFormed());
        const link = nextPageLink(list, `/v1/things?${new URLSearchParams({ name })}`, page) ?? '';
        const [, target = ''] = /^<([^<>\s"]+)>; rel="next"$/.exec(link) ?? [];
        expect(new URL(target, 'http://muster').searchParams.get('name')).toBe(name);
      }),
    );
  });

  it('is absent on the last page and where there is no row', () => {
    expect(nextPageLink(list, '/v1/things', { ...page, hasNext: false })).toBeUndefined();
    expect(nextPageLink(list, '/v1/things', { rows: [], hasNext: false })).toBeUndefined();
  });
});
