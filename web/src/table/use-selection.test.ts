import { expect, it } from 'vitest';
import { chosenIn } from './use-selection.ts';

it('keeps what is chosen in one list out of another, so that nothing is dismissed or deleted unseen', () => {
  const chosen = { listKey: 'open', ids: new Set(['one', 'two']) };
  expect([...chosenIn(chosen, 'open')]).toEqual(['one', 'two']);
  expect([...chosenIn(chosen, 'muted')]).toEqual([]);
  expect([...chosenIn(chosen, 'open', ['two', 'three'])]).toEqual(['two']);
});
