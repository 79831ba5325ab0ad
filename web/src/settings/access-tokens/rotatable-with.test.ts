import { expect, it } from 'vitest';
import { rotatableWith } from './rotatable-with.ts';

const tokens = [
  { id: 'own', createdWith: null },
  { id: 'child', createdWith: 'own' },
  { id: 'grandchild', createdWith: 'child' },
  { id: 'other', createdWith: null },
];
const another = { accessTokenID: 'other', current: false };

it.each([
  ['that began with a token rotates those that were created with it', 'own', ['child']],
  ['of the identity provider rotates all', null, ['own', 'child', 'grandchild', 'other']],
])('a session %s', (_, accessTokenID, rotatable) => {
  const sessions = [another, { accessTokenID, current: true }];
  expect(tokens.filter(rotatableWith(sessions)).map(({ id }) => id)).toEqual(rotatable);
});

it('a session that is not known rotates none', () => {
  expect(tokens.filter(rotatableWith([another]))).toEqual([]);
});
