import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readID, writeID } from './id-words.ts';

describe('the words of an id', () => {
  it('convert back to the same lower-case UUID', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat(2), (id, at) => {
        const words = new Uint32Array(6);
        expect(readID(id, words, at)).toBe(true);
        expect(writeID(words, at)).toBe(id);
      }),
    );
  });

  it('are the values of its digits', () => {
    const words = new Uint32Array(4);
    expect(readID('01a202a3-6db3-7000-8000-fe8c72930409', words)).toBe(true);
    expect([...words]).toEqual([0x01a202a3, 0x6db37000, 0x8000fe8c, 0x72930409]);
  });

  it.each([
    'agent',
    '',
    '01A202A3-6db3-7000-8000-fe8c72930409',
    '01a202a3-6db3-7000-8000-fe8c7293040',
    '01a202a3-6db3-7000-8000-fe8c729304090',
    '01a202a3x6db3-7000-8000-fe8c72930409',
    '01a202a3-6db3-7000-8000xfe8c72930409',
    '01a202a3-6db3-7000-8000-fe8c7293040g',
    '01a202a3-6db3-7000-8000-fe8c7293040é',
    '01a202a3-6db3-7000-8000-fe8c7293040一',
    '01a202a36db3-7000-8000-fe8c72930409-0',
  ])('are not read from other texts: %j', (text) => {
    expect(readID(text, new Uint32Array(4))).toBe(false);
  });
});
