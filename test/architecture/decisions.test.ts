import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const folder = new URL('../../docs/decisions/', import.meta.url);
const names = readdirSync(folder).sort();

it('decision records are numbered in a row, each once, in their names and in their titles', () => {
  const numbers = names.map((name) => Number(name.slice(0, 4)));
  expect(numbers).toEqual(names.map((_name, index) => index + 1));
  const titles = names.map((name) => readFileSync(new URL(name, folder), 'utf8').split('\n', 1)[0]);
  expect(titles).toEqual(numbers.map((number) => expect.stringMatching(new RegExp(`^# ${number}\\. \\S`))));
});
