import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { classNames } from '../../web/component-styles.ts';

const library = join(import.meta.dirname, '../../node_modules/@mantine/core');

it('finds the styles of every component of the library, and of what they share', () => {
  const modules = readdirSync(join(library, 'esm'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.module.mjs'),
  );
  expect(modules).toEqual(expect.arrayContaining([expect.stringContaining('InlineInput')]));
  const without = modules.filter((file) => {
    const [, component = ''] = classNames.exec(join(library, 'esm', file)) ?? [];
    return !existsSync(join(library, 'styles', `${component}.css`));
  });
  expect(without).toEqual([]);
});
