import { expect, it } from 'vitest';
import { splitError } from './split-error.ts';

it.each([
  [
    '[output:http:http.3] no upstream connections available to 10.21.160.1:9',
    ['no upstream connections available to ', '10.21.160.1:9', 'http.3'],
  ],
  ['[config] section without a name', ['section without a ', 'name', 'config']],
  ['disk full', ['disk ', 'full', undefined]],
  ['disk\n', ['disk', '', undefined]],
  [`cannot open /${'a'.repeat(48)}`, [`cannot open /${'a'.repeat(48)}`, '', undefined]],
  ['[a b] is no plugin', ['[a b] is no ', 'plugin', undefined]],
])('splits %j', (text, [beginning, end, plugin]) => {
  expect(splitError(text)).toEqual({ beginning, end, plugin });
});
