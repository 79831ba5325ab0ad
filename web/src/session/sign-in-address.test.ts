import { expect, it } from 'vitest';
import { signInAddress } from './sign-in-address.ts';

it.each([
  [
    'http://muster.test/',
    '/projects/p/causes',
    'http://muster.test/sign_in?return_to=%2Fprojects%2Fp%2Fcauses%3Fq%3Da',
  ],
  ['http://proxy.test/muster/', '/muster/', 'http://proxy.test/muster/sign_in?return_to=%2F%3Fq%3Da'],
])('leads from below %s back to %s', (root, pathname, address) => {
  expect(signInAddress(new URL(root), { pathname, search: '?q=a', hash: '' })).toBe(address);
});
