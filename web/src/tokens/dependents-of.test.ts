import { describe, expect, it } from 'vitest';
import { dependentsOf } from './dependents-of.ts';

describe('the tokens that end with another one', () => {
  it('are those below it, whatever their order', () => {
    const tokens = [
      { id: 'great', parentID: 'grand' },
      { id: 'other', parentID: null },
      { id: 'grand', parentID: 'child' },
      { id: 'child', parentID: 'root' },
      { id: 'root', parentID: null },
    ];
    expect(dependentsOf(tokens, 'root').map(({ id }) => id)).toEqual(['great', 'grand', 'child']);
    expect(dependentsOf(tokens, 'great')).toEqual([]);
  });
});
