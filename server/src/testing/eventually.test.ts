import { expect, it } from 'vitest';
import { eventually } from './eventually.ts';

it('eventually returns what the check returns once it no longer throws', async () => {
  let checks = 0;
  const value = await eventually(async () => {
    checks += 1;
    if (checks < 3) throw new Error('not yet');
    return checks;
  });
  expect(value).toBe(3);
});

it('eventually gives up after as many rounds, with the last error of the check', async () => {
  let checks = 0;
  const check = () => {
    checks += 1;
    throw new Error(`not yet: ${checks}`);
  };
  await expect(eventually(check, 3)).rejects.toThrow('not yet: 3');
  expect(checks).toBe(3);
});
