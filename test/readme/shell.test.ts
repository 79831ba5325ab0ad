import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Shell } from './shell.ts';

let shell: Shell;

beforeEach(() => {
  shell = new Shell({ cwd: tmpdir(), env: { PATH: process.env.PATH } });
});
afterEach(() => shell.close());

it('returns what commands print, in one shell', async () => {
  expect(await shell.run('a=1; echo one')).toBe('one\n\n');
  expect(await shell.run('echo "$a"')).toBe('1\n\n');
});

it('fails at once after a command that fails, also if it has left another running', async () => {
  await expect(shell.run('sleep 600 & echo before\nfalse\necho after')).rejects.toThrow('before');
  await expect(shell.run('echo')).rejects.toThrow('a command failed');
});

it('fails in a loop that waits for what never comes', async () => {
  await expect(shell.run('until false; do sleep 0.001; done')).rejects.toThrow('does not come');
});
