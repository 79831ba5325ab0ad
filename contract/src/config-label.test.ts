import { expect, it } from 'vitest';
import { findConfigLabel } from './config-label.ts';

it.each([
  [['[OUTPUT]', '# release 42', '    port 9'], 'release 42'],
  [['  ## build-2026.03.02'], 'build-2026.03.02'],
  [['# the port of the new cluster is 9', '# v7'], 'v7'],
  [['# no number'], undefined],
  [['port 9'], undefined],
])('reads %j as %s', (lines, label) => {
  expect(findConfigLabel(lines)).toBe(label);
});
