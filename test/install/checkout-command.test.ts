import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../architecture/source-files.ts';

let folder = '';
const { bin } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8'));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-checkout-'));
  mkdirSync(join(folder, 'bin'));
  copyFileSync(join(root, 'cli', bin.muster), join(folder, bin.muster));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(...args: string[]) {
  return promisify(execFile)(process.execPath, [join(folder, bin.muster), ...args]);
}

describe('muster in a checkout', () => {
  it('exists before the build, so that npm can link it', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    expect(packages.cli.bin).toEqual({ muster: bin.muster.replace('./', '') });
    expect(statSync(join(root, 'cli', bin.muster)).mode & 0o111).toBe(0o111);
  });

  it('says how to build it if it is not built', async () => {
    await expect(run('--version')).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: "muster: it is not built yet.\n  Run 'npm run build', or 'npm start' for the server itself.\n",
    });
  });

  it('runs the built program with its arguments and returns its exit code', async () => {
    mkdirSync(join(folder, 'dist'));
    const built = 'console.log(process.argv.slice(2)); process.exitCode = 7;';
    writeFileSync(join(folder, 'dist/muster.mjs'), built);
    await expect(run('a b', '--', '-c')).rejects.toMatchObject({
      code: 7,
      stdout: "[ 'a b', '--', '-c' ]\n",
      stderr: '',
    });
  });
});
