import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { foldCommand } from './fold-command.ts';

describe('a command line in narrow pages', () => {
  it.each([
    ['$ one two', 20, ['$ one two']],
    ['$ one two three | four five', 20, ['$ one two three | \\', '    four five']],
    ['$ one --flag two --other three', 20, ['$ one --flag two \\', '    --other three']],
    ['$ one --flag two three', 20, ['$ one \\', '    --flag two three']],
    ["$ one 'two three four' five", 20, ['$ one \\', "    'two three four' \\", '    five']],
  ])('%j, %i wide', (line, width, lines) => {
    expect(foldCommand(line, width)).toEqual(lines);
  });

  it('has the same meaning for a shell', () => {
    const line = `printf '%s|' one 'two  three' "four  five" six | tr 'o |' '0-/' | cat`;
    const run = (script: string) => spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout;
    for (let width = 8; width < line.length; width += 9) {
      expect(run(foldCommand(line, width).join('\n'))).toBe(run(line));
    }
  });
});
