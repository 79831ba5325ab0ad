import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { root } from '../scripts/workspace.mjs';

describe('the documentation', () => {
  it('matches the code', async () => {
    const args = ['node_modules/tsx/dist/cli.mjs', 'scripts/generate-docs.mjs', '--check'];
    const run = promisify(execFile)(process.execPath, args, { cwd: root });
    await expect(run).resolves.toEqual({ stdout: '', stderr: '' });
  });
});
