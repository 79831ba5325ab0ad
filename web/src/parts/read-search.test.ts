import { expect, it } from 'vitest';
import { choiceIn, textIn } from './read-search.ts';

it.each([
  [{ state: 'earlier' }, { state: 'earlier' }],
  [{ state: 'open' }, {}],
  [{ state: 'other' }, {}],
  [{ state: ['earlier'] }, {}],
  [{}, {}],
])('a choice of %j is %j', (search, read) => {
  expect(choiceIn(search, 'state', ['open', 'earlier'])).toEqual(read);
});

it.each([
  [{ q: 'refused' }, { q: 'refused' }],
  [{ q: 401 }, { q: '401' }],
  [{ q: 'longer than eight' }, { q: 'longer t' }],
  [{ q: '' }, {}],
  [{ q: { a: 1 } }, {}],
])('a text of %j is %j', (search, read) => {
  expect(textIn(search, 'q', 8)).toEqual(read);
});
