import { expect, it } from 'vitest';
import { chosenOf } from './chosen-of.ts';

it('an agent that the list has no more is not chosen any more', () => {
  const rows = ['web', 'api', 'db'].map((name) => ({ row: { id: name, name }, isGone: name === 'api' }));
  expect(chosenOf(rows, new Set(['web', 'api']))).toEqual([{ id: 'web', name: 'web' }]);
});
