import { expect, it } from 'vitest';
import { dropUnusedStyles, libraryClassesIn } from './drop-unused-styles.mjs';

it('keeps the styles of components whose classes a script names, and those of no component', () => {
  const used = new Set(libraryClassesIn('const classes={root:"m_1a","label":"m_2b"}'));
  const styles =
    ':root{--a:1}.m_1a{color:red}.m_3c{color:blue}.m_2b:hover{top:0}@media print{.m_3c{top:1px}.m_1a{top:2px}}.own{left:0}';
  const kept = dropUnusedStyles(styles, used);
  expect([...new Set(libraryClassesIn(kept))]).toEqual(['m_1a', 'm_2b']);
  for (const part of ['--a', '.own', '.m_2b:hover', 'top: 2px']) expect(kept).toContain(part);
});
