import { expect, it } from 'vitest';
import { endedWith } from './ended-with.ts';

const tokens = [
  { id: 'grandchild', name: 'c', createdWith: 'child' },
  { id: 'child', name: 'b', createdWith: 'root' },
  { id: 'root', name: 'a', createdWith: null },
  { id: 'other', name: 'd', createdWith: null },
];
const sessions = [
  { accessTokenID: 'grandchild', current: true },
  { accessTokenID: 'other', current: false },
  { accessTokenID: null, current: false },
];

it('finds the tokens that were created with a token, at any depth, and their sessions', () => {
  const { tokens: ended, ...rest } = endedWith('root', tokens, sessions);
  expect(ended.map(({ id }) => id)).toEqual(['grandchild', 'child']);
  expect(rest).toEqual({ sessionsCount: 1, endsOwnSession: true });
});

it('finds nothing else for a token with which nothing was done', () => {
  expect(endedWith('other', tokens, sessions)).toEqual({
    tokens: [],
    sessionsCount: 1,
    endsOwnSession: false,
  });
});
