import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findOwnCommand } from './own-command.ts';

let folder = '';

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'muster-own-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...parts: string[]) => join(folder, ...parts);

function makeProgram(...parts: string[]): string {
  const file = at(...parts);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  chmodSync(file, 0o755);
  return file;
}

function link(target: string, ...parts: string[]): string {
  mkdirSync(dirname(at(...parts)), { recursive: true });
  symlinkSync(target, at(...parts));
  return dirname(at(...parts));
}

/** The command to type if `node` is on the path. */
function find(packageDirectory: string, ...directories: string[]): string {
  const node = makeProgram('node', 'node');
  return findOwnCommand({ path: [...directories, dirname(node)].join(':'), packageDirectory, node });
}

describe('the command to run this program in another terminal', () => {
  it('is muster if that is installed on the path', () => {
    const file = makeProgram('lib', 'muster', 'dist', 'muster.mjs');
    const bin = link(file, 'bin', 'muster');
    expect(find(at('lib', 'muster'), '/nowhere', bin)).toBe('muster');
  });

  it('is the file in a checkout, because only npm and npx have muster on the path', () => {
    const file = makeProgram('checkout', 'cli', 'bin', 'muster.mjs');
    makeProgram('checkout', 'cli', 'dist', 'muster.mjs');
    const bin = link(file, 'checkout', 'node_modules', '.bin', 'muster');
    expect(find(at('checkout', 'cli'), bin, `${bin}/`)).toBe(`node ${file}`);
  });

  it('is the built file if there is no other', () => {
    const file = makeProgram('image', 'cli', 'dist', 'muster.mjs');
    expect(find(at('image', 'cli'))).toBe(`node ${file}`);
  });

  it('is the file if another program of that name comes first', () => {
    const file = makeProgram('lib', 'muster', 'dist', 'muster.mjs');
    const bin = link(file, 'bin', 'muster');
    const other = dirname(makeProgram('other', 'muster'));
    expect(find(at('lib', 'muster'), other, bin)).toBe(`node ${file}`);
    expect(find(at('lib', 'muster'), bin, other)).toBe('muster');
  });

  it('skips a folder of that name and a file that is not executable', () => {
    const file = makeProgram('lib', 'muster', 'dist', 'muster.mjs');
    const bin = link(file, 'bin', 'muster');
    mkdirSync(at('with-folder', 'muster'), { recursive: true });
    chmodSync(makeProgram('with-file', 'muster'), 0o644);
    expect(find(at('lib', 'muster'), at('with-folder'), at('with-file'), bin)).toBe('muster');
  });

  it('is quoted for a shell, with the full path of node if that is not on the path', () => {
    const file = makeProgram('my checkout', 'bin', 'muster.mjs');
    const node = makeProgram('node 22', 'node');
    for (const path of [undefined, '', '.', dirname(dirname(node))]) {
      expect(findOwnCommand({ path, packageDirectory: at('my checkout'), node })).toBe(`'${node}' '${file}'`);
    }
  });
});
