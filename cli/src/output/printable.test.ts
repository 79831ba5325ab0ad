import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeInJson, printable, printableJson } from './printable.ts';

/** Characters that a terminal interprets: C0, DEL, C1, and those that change the text direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const obeyedOrNewline = new RegExp(`${obeyed.source}|\\n`);

const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0x206f }), fc.integer({ min: 0, max: 0x10ffff })), {
    maxLength: 30,
  })
  .map((codes) => String.fromCodePoint(...codes));

describe('text from other people', () => {
  it.each([
    ['\x1b[31mred\x1b[0m', '\\x1b[31mred\\x1b[0m'],
    ['\x1b]0;title\x07', '\\x1b]0;title\\x07'],
    ['one\ntwo\r\tthree', 'one\\ntwo\\r\\tthree'],
    ['\u009b2J', '\\x9b2J'],
    ['abc\u202edcb', 'abc\\u202edcb'],
    ['zero\u200bwidth', 'zero\\u200bwidth'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['half \ud800', 'half \\ud800'],
    ['Zürich 東京 🚀', 'Zürich 東京 🚀'],
  ])('%j is printed as %j', (text, printed) => {
    expect(printable(text)).toBe(printed);
  });

  it('contains no character that a terminal interprets, for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(printable(text)).not.toMatch(obeyedOrNewline);
        expect(printableJson({ text })).not.toMatch(obeyed);
        expect(escapeInJson(JSON.stringify({ text }))).not.toMatch(obeyed);
      }),
    );
  });
});

describe('JSON', () => {
  it('has the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(printableJson(value, 2))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    const hostile = { '\u009b': ['\x1b[2J', '\u202e', '\u{e0041}', '\n'] };
    expect(JSON.parse(printableJson(hostile))).toEqual(hostile);
  });
});
