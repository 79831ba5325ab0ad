import { expect, it } from 'vitest';
import { countsAgree } from './counts-agree.ts';

it.each([
  ['the same', 1_155, 1_155, true],
  ['nobody in both', 0, 0, true],
  ['a few more in the meantime', 1_155, 1_180, true],
  ['what it was before a dismissal', 207, 1_155, false],
  ['what it was before a fix', 1_155, 46, false],
  ['nobody any more', 1_155, 0, false],
  ['one of two', 1, 2, false],
])(
  'compares who has a cause with who had it in another answer: %s',
  (_, affectedCount, agentsCount, agree) => {
    expect(countsAgree({ affectedCount }, { agentsCount })).toBe(agree);
  },
);
