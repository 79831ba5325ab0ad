import { describe, expect, it } from 'vitest';
import { visibleParts, visibleText } from './visible-text.ts';

/** Marks in brackets. */
const show = (text: string) =>
  visibleParts(text)
    .map((part) => (part.isMark ? `[${part.text}]` : part.text))
    .join('');

describe('a text of an agent', () => {
  it.each([
    ['connection refused', 'connection refused'],
    ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
    ['\u001b[31mred\u0007\u0085', '[U+001B][31mred[U+0007][U+0085]'],
    ['abc\u202edef\u2066ghi\u2069', 'abc[U+202E]def[U+2066]ghi[U+2069]'],
    ['zero\u200bwidth\ufeff\u2028', 'zero[U+200B]width[U+FEFF][U+2028]'],
    ['soft\u00adhyphen', 'soft[U+00AD]hyphen'],
    ['tag\u{e0041}', 'tag[U+E0041]'],
    ['👩‍👩‍👧‍👦 ❤️ 👍🏽', '👩‍👩‍👧‍👦 ❤️ 👍🏽'],
    ['a\u200db\ufe0f', 'a[U+200D]b[U+FE0F]'],
    ['größer نص 日本', 'größer نص 日本'],
    ['', ''],
  ])('%j shows everything that is in it', (text, shown) => {
    expect(show(text)).toBe(shown);
    expect(visibleText(text)).toBe(shown.replaceAll(/\[(U\+\w+)\]/g, '$1'));
  });
});
