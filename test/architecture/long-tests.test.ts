import { expect, it } from 'vitest';
import longTests from '../long-tests.json' with { type: 'json' };
import { filesBelow } from './source-files.ts';

it('every test file that begins first exists', () => {
  const present = filesBelow('.', ['.test.ts']);
  expect(longTests.filter((file) => !present.includes(file))).toEqual([]);
});
