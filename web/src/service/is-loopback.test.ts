import { expect, it } from 'vitest';
import { isLoopback } from './is-loopback.ts';

it.each([
  ['http://127.0.0.1:7400/', true],
  ['http://localhost:7400/', true],
  ['http://[::1]:7400/', true],
  ['https://127.0.0.1.example.com/', false],
  ['https://muster.example.com/', false],
  ['http://10.0.0.1:7400/', false],
])('%s: %s', (url, expected) => {
  expect(isLoopback(new URL(url))).toBe(expected);
});
