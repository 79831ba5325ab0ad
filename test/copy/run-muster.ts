import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { root } from '../../scripts/workspace.mjs';
import { musterCommand } from '../../server/src/testing/calls/muster-command.ts';

/** Runs the command with only these settings in its environment. */
export async function muster(args: readonly string[], env: Record<string, string> = {}) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [...musterCommand, ...args], {
    cwd: root,
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { status, stdout, stderr };
}
