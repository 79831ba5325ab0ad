import { expect, it } from 'vitest';
import { newLines } from './new-lines.ts';

it.each([
  ['a\nb\nc', 'a\nb\nc', []],
  ['a\nb\nc', 'a\nB\nc', [2]],
  ['a\nb', 'a\nx\nb\ny', [2, 4]],
  ['a\nb\nc', 'a\nc', []],
  ['a', 'a\na', [2]],
  ['', 'a', [1]],
])('from %j to %j, the new lines are %j', (before, text, lines) => {
  expect(newLines(before, text)).toEqual(lines);
});
