import { expect, it } from 'vitest';
import { stopsWithToken } from './stops-with-token.ts';

it.each([
  ['reports with the token alone', true, false, true],
  ['has its own token too', true, true, false],
  ['only registered with the token', false, true, false],
])('an agent that %s', (_, reports, hasOwnToken, stops) => {
  expect(stopsWithToken({ reports, hasOwnToken })).toBe(stops);
});
